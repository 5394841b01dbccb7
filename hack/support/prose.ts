import { parseSync } from 'oxc-parser'
import type { SourceFile } from './source-files.ts'

/** A habit of writing that readers stop at. */
interface Habit {
  readonly name: string
  readonly pattern: RegExp
  /** Whether only the beginning of a comment counts. */
  readonly begins?: true
}

const HABITS: readonly Habit[] = [
  { name: 'begins with What, Whoever, Whom or Those', pattern: /^(?:What|Whoever|Whom|Those that|Those who|That which)\b/ },
  { name: 'begins with a preposition instead of the thing', pattern: /^(?:Of|By|From|As) (?![^.]*, )/, begins: true },
  {
    name: 'has "where it" for "if"',
    pattern: /\b(?:where|wherever) (?:it|there (?:is|are)|they|that is|this is|one is|none is|nothing|nobody|somebody|he|she|who) \b/i,
  },
  {
    name: 'has a person for a program',
    pattern: /\b(?:nobody|somebody|someone|whoever|anybody|who (?:asks?|asked|is asked|calls|reads|waits|comes|has|gets))\b/i,
  },
  { name: 'begins with a value and a colon', pattern: /^(?:Absent|Undefined|Null|Empty|None|0|False|True):/i },
  {
    name: 'has a program that is told or believes',
    pattern: /\b(?:is told|are told|tells? of|(?:was|is|were) asked for|believes?|believed|goes not|need not be there)\b/i,
  },
  { name: 'has "answer" for a response', pattern: /\banswer(?:s|ed)?\b/i },
]

/** A line with this marker may say what a habit forbids; the reason stands behind it. */
const EXCEPTION = /prose: \w/

const CODE = /`[^`]*`/g

/** A sentence of a file, or the beginning of one. */
interface Sentence {
  readonly text: string
  readonly line: number
  readonly isFirst: boolean
}

/** Finds the sentences of comments and of log messages that have one of the habits: `src/lib/clock.ts:12: begins with … | What the clock shows.` */
export function proseProblems(file: SourceFile): string[] {
  if (file.path.endsWith('.types.ts')) return []
  const sentences = file.path.endsWith('.md') ? markdownSentences(file.text) : sourceSentences(file)
  return sentences.flatMap(({ text, line, isFirst }) =>
    HABITS.filter(({ pattern, begins }) => (isFirst || !begins) && pattern.test(text)).map(
      ({ name }) => `${file.path}:${line}: ${name} | ${text.slice(0, 120)}`,
    ),
  )
}

function sourceSentences({ path, text }: SourceFile): Sentence[] {
  const { comments } = parseSync(path, text)
  return comments.flatMap(({ value, start, end }) => {
    const first = text.slice(0, start).split('\n').length
    if (EXCEPTION.test(text.slice(start, end))) return []
    const plain = value
      .replace(/^[*\s]+/, '')
      .replace(/\n\s*\* ?/g, ' ')
      .replace(CODE, '`x`')
    return sentencesOf(plain).map((sentence, i) => ({ text: sentence, line: first, isFirst: i === 0 }))
  })
}

/** Paragraphs, list items and table cells outside of code. */
function markdownSentences(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let isCode = false
  for (const [i, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode || EXCEPTION.test(line)) continue
    const plain = line.replace(CODE, '`x`').replace(/^[\s#>*-]+/, '')
    for (const part of plain.split('|')) for (const sentence of sentencesOf(part)) sentences.push({ text: sentence, line: i + 1, isFirst: false })
  }
  return sentences
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.:;])\s+(?=[A-Z`])/)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
