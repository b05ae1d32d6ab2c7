// Before the first paint: the theme this visitor chose here, if any. Else the system's holds.
try {
  const theme = localStorage.getItem('tril.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme is then as good.
}
