/**
 * The style of the page, minified by hand because it is served as it is. A narrow window shows one column. A wide one shows the
 * list of operations on the left and the examples on the right.
 */
export const STYLE = `
:root{color-scheme:light dark;--text:#1a1f36;--dim:#5b6478;--line:#e3e8ee;--panel:#f6f8fa;--link:#4b3fd6;--back:#fff;--code:#0f1633;--codetext:#e6eaf5;--get:#0a7d4f;--post:#4b3fd6;--patch:#a35200;--delete:#b3123f}
@media(prefers-color-scheme:dark){:root{--text:#e6e9f2;--dim:#9aa3b8;--line:#2a3042;--panel:#191e2b;--link:#a9a0ff;--back:#11151f;--code:#0a0d15;--get:#4fd39a;--post:#a9a0ff;--patch:#f0b266;--delete:#ff8aa5}}
*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:1.5rem}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;font:15px/1.6 system-ui,sans-serif;color:var(--text);background:var(--back)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
h1{font-size:1.7rem;margin:0}h2{font-size:1.35rem;margin:0 0 .3rem}h3{font-size:1.08rem;margin:1.6rem 0 .2rem}h4{font-size:.85rem;margin:1.5rem 0 .2rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
p{margin:.4rem 0}code,pre{font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}
p code,li code,td code{background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:0 .25em;overflow-wrap:anywhere}
nav{padding:1.5rem 1rem 2rem}nav b{display:block;margin:1.1rem 0 .25rem;font-size:.72rem;letter-spacing:.05em;text-transform:uppercase;color:var(--dim)}
nav a{display:block;padding:.12rem .4rem;color:var(--text);font-size:.86rem;border-radius:4px}nav a:hover{background:var(--panel);text-decoration:none}
main{padding:1.5rem;min-width:0}section{border-top:1px solid var(--line);padding:2rem 0}section.group{padding-bottom:.8rem}
.dim,.type,.limits{color:var(--dim)}.type,.limits{font-size:.82rem}.required{color:var(--patch);font-size:.78rem}
.route{font:600 .82rem ui-monospace,monospace;overflow-wrap:anywhere}.get{color:var(--get)}.post{color:var(--post)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.old{text-decoration:line-through}.attributes{list-style:none;margin:0;padding:0}.attributes li{border-bottom:1px solid var(--line);padding:.55rem 0}.attributes li:last-child{border:0}
.codes a{font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}.attributes p{margin:.1rem 0}.attributes li>p:first-child>code{background:none;border:0;padding:0;font-weight:600}.values code{margin-right:.1rem}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--link);font-size:.85rem}details .attributes{border-left:2px solid var(--line);padding-left:.9rem;margin-top:.3rem}
pre{background:var(--code);color:var(--codetext);border-radius:8px;padding:.9rem 1rem;overflow:auto;max-height:34rem;margin:.3rem 0 1rem;tab-size:2}
.caption{font-size:.78rem;color:var(--dim);margin:0}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line)}
@media(min-width:60rem){body{display:grid;grid-template-columns:16rem minmax(0,1fr)}nav{position:sticky;top:0;height:100vh;overflow:auto;border-right:1px solid var(--line)}main{padding:2rem 3rem}}
@media(min-width:80rem){.operation,.object{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:3rem}.sample{position:sticky;top:1.5rem;align-self:start}}
`;
