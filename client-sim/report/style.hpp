// The style sheet of the report.
//
// Colours are those of Okabe and Ito (2008), which people with any common colour blindness can tell
// apart; lighter for the dark scheme. Lines differ by their dashes as well.
#pragma once

#include <string_view>

namespace fixkeep::client_sim {

inline constexpr std::string_view report_style = R"css(
:root{color-scheme:light dark;--back:#fbfbfa;--card:#fff;--text:#1c2024;--soft:#5c656d;
--line:#e3e5e7;--axis:#8b949c;--good:#00734f;--bad:#b3261e;--c0:#d55e00;--c1:#0072b2;--c2:#007f5f;
--c3:#b0558b;--c4:#8a6d00;--c5:#3b8fc4;--c6:#4a4a4a;--c7:#7a3fb0}
@media(prefers-color-scheme:dark){:root{--back:#14171a;--card:#1d2125;--text:#e8eaec;--soft:#a2abb3;
--line:#30363b;--axis:#78828a;--good:#4cc79a;--bad:#ff8a80;--c0:#ff9447;--c1:#56b4e9;--c2:#2fc79b;
--c3:#e39cc8;--c4:#f0d34a;--c5:#9bd0f5;--c6:#c9c9c9;--c7:#c39bf0}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
main{max-width:1040px;margin:0 auto;padding:28px 16px 56px}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:1.15rem;margin:0 0 2px}
p{margin:0 0 12px}.soft{color:var(--soft)}.small{font-size:.875rem}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px;
margin-top:18px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(230px,1fr));gap:14px;
margin-top:18px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px;
border-top:5px solid currentColor}
.card>*{color:var(--text)}.card .name{font-weight:600}
.card .big{font-size:2.3rem;line-height:1.15;font-weight:650;font-variant-numeric:tabular-nums}
.good{color:var(--good)!important}.bad{color:var(--bad)!important}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:8px 0;padding:0;
font-size:.9rem}
.legend svg{width:30px;height:12px;vertical-align:middle;margin-right:6px}
.plot,.scroll{overflow-x:auto}
.plot svg{display:block;width:100%;height:auto}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:18px}
text{fill:var(--soft);font-size:13px}text.label{fill:var(--text)}
text.note{font-size:13px;fill:var(--text);paint-order:stroke;stroke:var(--card);stroke-width:4px}
.grid{stroke:var(--line)}.axis{stroke:var(--axis)}
.reference{stroke:var(--text);stroke-width:1.5;stroke-dasharray:2 4}
.line{fill:none;stroke-width:2.4;stroke-linejoin:round}.faint{opacity:.3;stroke-width:1.3}
.line.c0{stroke-dasharray:9 4}.line.c2{stroke-dasharray:4 3}.line.c3{stroke-dasharray:12 3 3 3}
.line.c4{stroke-dasharray:2 3}
.c0{stroke:var(--c0)}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3)}
.c4{stroke:var(--c4)}.c5{stroke:var(--c5)}.c6{stroke:var(--c6)}.c7{stroke:var(--c7)}
.bar{stroke:none}.bar.c0{fill:var(--c0)}.bar.c1{fill:var(--c1)}.bar.c2{fill:var(--c2)}
.bar.c3{fill:var(--c3)}.bar.c4{fill:var(--c4)}.bar.c5{fill:var(--c5)}.bar.c6{fill:var(--c6)}
.bar.c7{fill:var(--c7)}
.k0{color:var(--c0)}.k1{color:var(--c1)}.k2{color:var(--c2)}.k3{color:var(--c3)}
.k4{color:var(--c4)}.k5{color:var(--c5)}.k6{color:var(--c6)}.k7{color:var(--c7)}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}
tr:last-child td{border-bottom:0}
pre{overflow-x:auto;background:var(--back);border:1px solid var(--line);border-radius:8px;
padding:10px 12px;margin:8px 0;font-size:.85rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:10px;margin:0 0 12px}
dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-weight:600}
/* A plot is scaled with its text: where it is drawn small, the text is made larger. */
.pair text,.pair text.label,.pair text.note{font-size:18px}
@media(max-width:600px){text,.pair text,text.label,.pair text.label{font-size:20px}
text.note,.pair text.note{font-size:19px}}
)css";

}  // namespace fixkeep::client_sim
