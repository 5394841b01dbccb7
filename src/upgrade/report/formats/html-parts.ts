/** Style of the page, for light and dark color schemes. */
export const STYLE = `
:root{--bg:#f6f7f9;--card:#fff;--ink:#1b2130;--soft:#5b6577;--line:#e1e5ec;--code:#eef1f6;--blocking:#b3261e;--warning:#8a5a00;--note:#2257a8;--clear:#1c7a43;--add:#e3f6e8;--add-ink:#0f5a2b;--del:#fdeaea;--del-ink:#8c1d18}
@media (prefers-color-scheme:dark){:root{--bg:#10141b;--card:#181e28;--ink:#e6eaf2;--soft:#9aa5b8;--line:#29313f;--code:#222a37;--blocking:#ff8a80;--warning:#f2b94b;--note:#8ab4ff;--clear:#66d19e;--add:#12301e;--add-ink:#9be3b4;--del:#3a1a1a;--del-ink:#ffb4ab}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main{max-width:64rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
.eyebrow{margin:0;color:var(--soft);font-size:.85rem;letter-spacing:.06em;text-transform:uppercase}
h1{margin:.15rem 0 .4rem;font-size:2.6rem;line-height:1.1;font-variant-numeric:tabular-nums}
.arrow{color:var(--soft);font-weight:400}
.verdict{margin:0;font-size:1.15rem;font-weight:600}
.blocked .verdict{color:var(--blocking)}.clear .verdict{color:var(--clear)}
.sources{margin:.3rem 0 0;color:var(--soft);overflow-wrap:anywhere}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);border-radius:4px;padding:.08em .35em}
.tiles{display:grid;grid-template-columns:repeat(3,1fr);gap:.75rem;margin:1.5rem 0}
.tile{display:block;background:var(--card);border:1px solid var(--line);border-top:4px solid currentColor;border-radius:10px;padding:.8rem 1rem;text-decoration:none}
.tile strong{display:block;font-size:1.9rem;line-height:1.1;font-variant-numeric:tabular-nums}.tile span{color:var(--soft)}
.blocking>h2,.tile.blocking{color:var(--blocking)}.warning>h2,.tile.warning{color:var(--warning)}.note>h2,.tile.note{color:var(--note)}
h2{margin:2rem 0 .75rem;font-size:1.3rem}h2 small{color:var(--soft);font-weight:400}
.controls{margin:0 0 1rem}.controls input{width:min(26rem,100%);padding:.45rem .7rem;border:1px solid var(--line);border-radius:8px;background:var(--card);color:inherit;font:inherit}
.controls output{color:var(--soft)}
article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.9rem 1.1rem;margin:0 0 .75rem}
h3{margin:0;font-size:1.05rem;overflow-wrap:anywhere}
.place{margin:.1rem 0 .4rem;color:var(--soft);overflow-wrap:anywhere}
article ul{margin:0;padding:0;list-style:none}article>ul>li+li{border-top:1px solid var(--line);margin-top:.6rem;padding-top:.6rem}
article li p{margin:0;overflow-wrap:anywhere}
.chip{display:inline-block;margin-left:.35rem;color:var(--soft);font-size:.85rem}
.advice::before{content:"→ ";color:var(--soft)}.advice{font-weight:600}
.where li+li{margin-top:.25rem}.where{margin-top:.4rem}h3 small{color:var(--soft);font-weight:400}.rest{color:var(--soft)}
.users{margin-top:.35rem!important;color:var(--soft);font-size:.9rem}
details{margin-top:.5rem}summary{cursor:pointer;color:var(--soft)}
pre{margin:.5rem 0 0;padding:.7rem .8rem;overflow-x:auto;background:var(--code);border-radius:8px}
pre span{display:inline-block;min-width:100%}
.add{background:var(--add);color:var(--add-ink)}.del{background:var(--del);color:var(--del-ink)}.hunk{color:var(--soft)}
.rules table{width:100%;border-collapse:collapse;margin-top:.5rem;font-size:.92rem}.rules td,.rules th{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
.nothing{font-size:1.15rem}main{padding-bottom:4rem}
@media (max-width:36rem){.tiles{grid-template-columns:1fr}h1{font-size:2rem}}
@media print{.controls{display:none}article{break-inside:avoid}}
`

/** Script that hides findings which do not contain the text of the filter. */
export const SCRIPT = `
(() => {
  const controls = document.querySelector('.controls')
  if (!controls) return
  controls.hidden = false
  const [field, count] = [controls.querySelector('input'), controls.querySelector('output')]
  const cards = [...document.querySelectorAll('article')].map(card => ({ card, text: card.textContent.toLowerCase() }))
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let shown = 0
    for (const { card, text } of cards) {
      card.hidden = !words.every(word => text.includes(word))
      if (!card.hidden) shown++
    }
    for (const section of document.querySelectorAll('section')) section.hidden = !section.querySelector('article:not([hidden])')
    count.textContent = words.length === 0 ? '' : shown + ' of ' + cards.length
  })
})()
`
