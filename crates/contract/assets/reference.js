// Shows results below the search field while the reader types. Without this script, the form leads to
// a page with the results.
(() => {
  'use strict';
  const MAX_RESULTS = 20;
  const field = document.getElementById('search');
  const list = document.getElementById('found');
  const count = document.getElementById('count');
  let index = null;

  const load = async () => {
    if (index) return index;
    const response = await fetch(field.dataset.index);
    const items = response.ok ? await response.json() : [];
    index = items.map(([name, href, note]) => ({ name, href, note, text: `${name} ${note}`.toLowerCase() }));
    return index;
  };

  // Names with more of the words come first, and of those the shorter ones.
  const rank = (item, words) => {
    const name = item.name.toLowerCase();
    return words.filter((word) => !name.includes(word)).length * 1000 + name.length;
  };

  const close = () => {
    list.hidden = true;
    list.replaceChildren();
  };

  const show = async () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) {
      close();
      count.textContent = '';
      return;
    }
    const items = await load();
    const found = items
      .filter((item) => words.every((word) => item.text.includes(word)))
      .sort((a, b) => rank(a, words) - rank(b, words));
    list.replaceChildren(...found.slice(0, MAX_RESULTS).map((item) => {
      const link = document.createElement('a');
      const name = document.createElement('b');
      const note = document.createElement('span');
      link.href = item.href;
      name.textContent = item.name;
      note.textContent = item.note;
      link.append(name, note);
      const entry = document.createElement('li');
      entry.append(link);
      return entry;
    }));
    list.hidden = !found.length;
    count.textContent = `${found.length} results`;
  };

  const move = (event, step) => {
    const links = [...list.querySelectorAll('a')];
    if (!links.length) return;
    const next = links.indexOf(document.activeElement) + step;
    event.preventDefault();
    (links[next] ?? field).focus();
  };

  field.addEventListener('focus', () => { load().catch(() => {}); });
  field.addEventListener('input', () => { show().catch(close); });
  field.form.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'ArrowUp') move(event, -1);
    if (event.key === 'Escape') {
      close();
      field.focus();
    }
  });
  list.addEventListener('click', close);
  document.addEventListener('click', (event) => {
    if (!field.form.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select');
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    }
  });
})();
