/** The style of an exported page: for a phone, a desk, the dark and paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--box:#f6f8fa;--user:#ddf4ff;--good:#1a7f37;--bad:#d1242f;--add:#dafbe1;--del:#ffebe9}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9198a1;--line:#3d444d;--box:#151b23;--user:#121d2f;--good:#3fb950;--bad:#f85149;--add:#12261e;--del:#25171c}body{background:#0d1117}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:54rem;padding:1rem;color:var(--text);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:.9rem;font-weight:600;color:var(--soft);border-bottom:1px solid var(--line);margin:2.2rem 0 1rem;padding-bottom:.3rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0;font-size:.9rem}
dt{color:var(--soft)}
dd{margin:0}
pre,code{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;margin:.5rem 0;overflow:auto;max-height:40rem;overflow-wrap:normal}
pre code{font-size:inherit}
:not(pre)>code{background:var(--box);border-radius:4px;padding:.1em .3em}
.user{background:var(--user);border-radius:8px;padding:.7rem 1rem;white-space:pre-wrap;margin:0 0 1rem}
.said{margin:1rem 0}
.said>:first-child{margin-top:0}
.back{opacity:.6}
.of{border-left:3px solid var(--line);padding-left:.8rem}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--soft)}
summary code,p code{color:var(--text);white-space:pre-wrap}
.bad{color:var(--bad)}
.good{color:var(--good)}
.soft{color:var(--soft)}
.diff span{display:block}
.diff .add{background:var(--add)}
.diff .del{background:var(--del)}
table{border-collapse:collapse;display:block;overflow:auto}
td,th{border:1px solid var(--line);padding:.3rem .6rem;text-align:left}
blockquote{margin:.6rem 0;padding:0 1rem;border-left:3px solid var(--line);color:var(--soft)}
ul.plan{list-style:none;padding-left:.2rem}
@media print{body{max-width:none;padding:0;font-size:11px}pre{max-height:none;white-space:pre-wrap;overflow-wrap:anywhere}details::details-content{content-visibility:visible;block-size:auto}h2{break-after:avoid}a{color:inherit}}
`;
