"""The pages' one style sheet. It is inlined, so that a saved page is complete, and allowed by its hash alone."""

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark;
  --ink: #1a1d21; --soft: #5c6570; --line: #dfe3e8; --paper: #f6f7f9; --card: #fff; --link: #0b5cad;
  --bad: #b3261e; --bad-soft: #fde7e5; --warn: #8a5a00; --warn-soft: #fdf1d6; --good: #1a7340; --good-soft: #e1f4e8; }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e7eaee; --soft: #9aa4b0; --line: #2c333b; --paper: #111418; --card: #191d22; --link: #7db7f5;
  --bad: #ff8a80; --bad-soft: #43201f; --warn: #f2c063; --warn-soft: #3a2d12; --good: #7fd6a0; --good-soft: #17321f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main, .bar { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
.bar { display: flex; gap: 1rem; align-items: baseline; padding-top: 1rem; padding-bottom: .75rem; font-size: .9rem; }
.bar strong { letter-spacing: .02em; }
.bar .id { margin-left: auto; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, .id { font: .86em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.3rem;
  margin-bottom: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: .15rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); margin: 0 0 .6rem; }
p { margin: 0 0 .4rem; }
.soft { color: var(--soft); }
.kicker { font-size: .9rem; color: var(--soft); }
.verdict { border-left: 6px solid var(--soft); }
.verdict.bad { border-left-color: var(--bad); } .verdict.warn { border-left-color: var(--warn); }
.verdict.good { border-left-color: var(--good); }
.versus { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: .8rem; margin-top: .8rem; }
.versus > div { border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; overflow-wrap: anywhere; }
.versus .claim { background: var(--bad-soft); } .versus .source { background: var(--good-soft); }
.versus h3 { font-size: .8rem; font-weight: 600; margin: 0 0 .3rem; color: var(--soft); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; margin: 0; }
mark { background: none; color: inherit; border-radius: 3px; padding: .05em .15em; }
mark.contradicted { background: var(--bad-soft); box-shadow: inset 0 -2px var(--bad); }
mark.not_in_context { background: var(--warn-soft); border-bottom: 2px dashed var(--warn); }
mark.hit { padding: 0; font-weight: 700; text-decoration: underline; text-underline-offset: .2em; }
mark.injection { background: var(--bad-soft); outline: 2px dotted var(--bad); }
mark.supported { background: var(--good-soft); box-shadow: inset 0 -1px var(--good); }
.badge { display: inline-block; font-size: .78rem; font-weight: 600; border-radius: 99px; padding: .1em .7em;
  border: 1px solid currentColor; color: var(--soft); white-space: nowrap; }
.badge.contradicted, .badge.bad, .badge.failed { color: var(--bad); }
.badge.not_in_context, .badge.warn { color: var(--warn); }
.badge.supported, .badge.good { color: var(--good); }
.legend { margin-top: .7rem; display: flex; gap: .5rem; flex-wrap: wrap; }
ol.claims { margin: 0; padding-left: 1.3rem; } ol.claims li { margin-bottom: .6rem; }
.claims .text { margin: .15rem 0; }
.scores { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: .7rem; }
.score { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; }
.score b { font-size: 1.3rem; font-variant-numeric: tabular-nums; }
.score.bad b { color: var(--bad); } .score.good b { color: var(--good); }
meter { width: 100%; height: .5rem; }
details, .chunk { border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; margin-bottom: .7rem; }
.chunk.contradicts { border: 2px solid var(--bad); }
.chunk .text { max-height: 24rem; overflow: auto; margin-top: .4rem; }
.chunk:target, details:target { outline: 3px solid var(--link); }
summary { cursor: pointer; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tr:last-child td, tr:last-child th { border-bottom: 0; }
td.said { width: 45%; }
td.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
@media (max-width: 40rem) { h1 { font-size: 1.2rem; } .bar .id { display: none; } section { padding: .9rem; } }
"""

STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
