import { countOf, type Finding, type Level, type Report, RULES, type Usage } from '../finding.ts'
import { SCRIPT, STYLE } from './html-parts.ts'
import { grouped, objectCount, placeText, verdict } from './text.ts'

const LEVELS = ['blocking', 'warning', 'note'] as const
const HEADINGS: Readonly<Record<Level, string>> = { blocking: 'Blocking', warning: 'To review', note: 'For information' }

/**
 * Prints a self-contained page: it loads nothing, and all data is escaped. Filters need its script, reading does not.
 */
export function htmlReport(report: Report): string {
  const { from, to, sources } = report
  const blocked = countOf(report, 'blocking') > 0
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>Upgrade from ${escapeElement(from)} to ${escapeElement(to)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="${blocked ? 'blocked' : 'clear'}">
<p class="eyebrow">Kubernetes upgrade report</p>
<h1><span>${escapeElement(from)}</span> <span class="arrow" aria-label="to">→</span> <span>${escapeElement(to)}</span></h1>
<p class="verdict">${escapeElement(verdict(report))}</p>
<p class="sources">${objectCount(report)} of ${sources.map(source => `<code>${escapeElement(source)}</code>`).join(', ') || 'no source'}</p>
</header>
<main>
<div class="tiles">${LEVELS.map(level => tile(report, level)).join('')}</div>
${report.findings.length === 0 ? '<p class="nothing">Nothing was found.</p>' : `${controls()}${ruleTable(report)}${LEVELS.map(level => section(report, level)).join('')}`}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`
}

/** Escapes text for an element or a quoted attribute. */
const escapeElement = (text: string): string => text.replace(/[&<>"'`]/g, char => `&#${char.charCodeAt(0)};`)

const tile = (report: Report, level: Level): string =>
  `<a class="tile ${level}" href="#${level}"><strong>${countOf(report, level)}</strong><span>${HEADINGS[level]}</span></a>`

const controls = (): string =>
  '<p class="controls" hidden><label>Show only <input type="search" placeholder="a kind, a name, a file, a rule …" autocomplete="off"></label> <output></output></p>\n'

function ruleTable({ findings }: Report): string {
  const rules = [...new Set(findings.map(({ rule }) => rule))]
  const rows = rules.map(
    rule =>
      `<tr><td><code>${rule}</code></td><td>${escapeElement(RULES[rule])}</td><td>${findings.filter(finding => finding.rule === rule).length}</td></tr>`,
  )
  return `<details class="rules"><summary>Rules and findings</summary><table><thead><tr><th>Rule</th><th>Meaning</th><th>Found</th></tr></thead><tbody>${rows.join('')}</tbody></table></details>\n`
}

function section(report: Report, level: Level): string {
  const own = report.findings.filter(finding => finding.level === level)
  if (own.length === 0) return ''
  const { alike, others } = groupFindings(own)
  const cards = [...alike.map(sharedCard), ...grouped(others).slice(0, MOST_CARDS).map(card)]
  return `<section id="${level}" class="${level}"><h2>${HEADINGS[level]} <small>${own.length}</small></h2>\n${cards.join('')}${rest(grouped(others).length, MOST_CARDS)}</section>\n`
}

/** Number of equal findings of a kind that are combined into one card. */
const MANY = 5

/**
 * Limits that keep the page fast in a browser: cards of a section, and objects of a card. Other formats have no limits.
 */
const MOST_CARDS = 2_000
const MOST_OBJECTS = 500

/** Splits findings into groups with the same message for many objects of a kind, and all others. */
function groupFindings(findings: readonly Finding[]): { readonly alike: Finding[][]; readonly others: Finding[] } {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const { rule, message, advice, usages = [] } = finding
    const key = JSON.stringify([rule, subjectKind(finding), message, advice, usages.map(({ by }) => by)])
    const group = groups.get(key)
    if (group) group.push(finding)
    else groups.set(key, [finding])
  }
  const alike = [...groups.values()].filter(group => group.length >= MANY)
  const shared = new Set(alike.flat())
  return { alike, others: findings.filter(finding => !shared.has(finding)) }
}

/** Returns `Deployment` for `Deployment shop/web`. */
const subjectKind = ({ subject }: Finding): string => subject.slice(0, `${subject} `.indexOf(' '))

/** One card for findings that differ only in their object. The diff is shown with each object. */
function sharedCard(group: readonly Finding[]): string {
  const [first] = group
  if (first === undefined) return ''
  const { diff: _, ...said } = first
  const rows = group
    .slice(0, MOST_OBJECTS)
    .map(
      finding =>
        `<li>${escapeElement(finding.subject)} <code>${escapeElement(placeText(finding))}</code>${finding.diff === undefined ? '' : diffBlock(finding.diff)}</li>`,
    )
  return (
    `<article><h3>${escapeElement(subjectKind(first))} <small>${group.length} times</small></h3><ul>${item(said)}</ul>` +
    `<details><summary>Where</summary><ul class="where">${rows.join('')}</ul>${rest(group.length, MOST_OBJECTS)}</details></article>\n`
  )
}

const rest = (count: number, shown: number): string =>
  count > shown ? `<p class="rest">${count - shown} more: <code>-o json</code> includes all.</p>` : ''

function card(group: readonly Finding[]): string {
  const [first] = group
  return first === undefined
    ? ''
    : `<article><h3>${escapeElement(first.subject)}</h3><p class="place"><code>${escapeElement(placeText(first))}</code></p><ul>${group.map(item).join('')}</ul></article>\n`
}

function item({ rule, message, advice, since, usages = [], diff }: Finding): string {
  const chips = `<span class="chip"><code>${rule}</code></span>${since === undefined ? '' : `<span class="chip">since ${escapeElement(since)}</span>`}`
  const todo = advice === undefined ? '' : `<p class="advice">${escapeElement(advice)}</p>`
  return `<li><p>${escapeElement(message)} ${chips}</p>${todo}${users(usages)}${diff === undefined ? '' : diffBlock(diff)}</li>`
}

function users(usages: readonly Usage[]): string {
  if (usages.length === 0) return ''
  const rows = usages
    .slice(0, 20)
    .map(({ by, time }) => `<li><code>${escapeElement(by)}</code>${time === undefined ? '' : ` <time>${escapeElement(time)}</time>`}</li>`)
  return `<ul class="users">${rows.join('')}</ul>`
}

const KINDS: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'hunk' }

function diffBlock(diff: string): string {
  const lines = diff.split('\n').map(line => {
    const kind = KINDS[line.charAt(0)]
    return kind === undefined ? escapeElement(line) : `<span class="${kind}">${escapeElement(line)}</span>`
  })
  return `<details><summary>Conversion</summary><pre>${lines.join('\n')}</pre></details>`
}
