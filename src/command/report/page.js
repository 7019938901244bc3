'use strict';
(() => {
  const STEP = 200, PROJECT = 2, VERDICT = 5, TEXT = 8;
  const at = (id) => document.getElementById(id);
  // The newest first; what is searched in is made once.
  const rows = JSON.parse(at('rows').textContent).reverse();
  const searched = rows.map((row) => row.join('\n').toLowerCase());
  let found = [], shown = 0;

  const offer = (select, values) => {
    for (const value of values) select.append(new Option(value === '' ? '（没有记）' : value, '=' + value));
  };
  const choices = (column) => [...new Set(rows.map((row) => row[column]))].sort();
  offer(at('verdict'), choices(VERDICT));
  offer(at('project'), choices(PROJECT));

  // Text is only ever set as text: nothing of a log becomes a part of the page.
  const line = (row) => {
    const tr = document.createElement('tr');
    row.forEach((value, column) => {
      const td = tr.insertCell();
      td.textContent = column >= 4 && column !== VERDICT && column !== TEXT && value === 0 ? '-' : value;
      if (column === VERDICT) td.className = 'word ' + value;
    });
    return tr;
  };
  const more = () => {
    at('table').append(...found.slice(shown, shown + STEP).map((index) => line(rows[index])));
    shown = Math.min(shown + STEP, found.length);
    at('more').hidden = shown === found.length;
    at('count').textContent = `${found.length} 条，显示 ${shown} 条`;
  };
  const filter = () => {
    const verdict = at('verdict').value, project = at('project').value, text = at('text').value.trim().toLowerCase();
    found = [];
    rows.forEach((row, index) => {
      if ((verdict === '' || verdict === '=' + row[VERDICT]) && (project === '' || project === '=' + row[PROJECT])
        && searched[index].includes(text)) found.push(index);
    });
    shown = 0;
    at('table').replaceChildren();
    more();
  };
  for (const id of ['verdict', 'project', 'text']) at(id).addEventListener('input', filter);
  at('more').addEventListener('click', more);
  document.querySelector('form').addEventListener('submit', (event) => event.preventDefault());
  filter();
})();
