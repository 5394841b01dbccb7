import { type SentenceKind, sentencesIn } from './sentences.ts'
import type { SourceFile } from './source-files.ts'

/** A habit of writing that readers stop at. */
interface Habit {
  readonly name: string
  readonly pattern: RegExp
  /** Optional. Kinds of sentences in which the habit counts. Default: all. */
  readonly kinds?: readonly SentenceKind[]
  /** Whether only the beginning of a comment or title counts. */
  readonly begins?: true
}

const HABITS: readonly Habit[] = [
  {
    name: 'begins with What, Whom or Those',
    pattern: /^(?:What|Whoever|Whom|Those that|Those who|That which)\b/,
    kinds: ['comment', 'text', 'page'],
  },
  { name: 'begins with a preposition instead of the thing', pattern: /^(?:Of|By|From|As) (?![^.]*, )/, kinds: ['comment'], begins: true },
  {
    name: 'begins with no verb and no noun',
    pattern: /^(?:what|whoever|whom|those|where|of|by|for|as|from)\b(?!-)/i,
    kinds: ['title'],
    begins: true,
  },
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
    name: 'has a program that is told or believes', // prose: names the habit
    pattern: /\b(?:is told|are told|tells? of|(?:was|is|were) asked for|believes?|believed|goes not|need not be there)\b/i,
  },
  { name: 'has a program that is asked', pattern: /\b(?:is|are|was|were) asked\b/i, kinds: ['title'] },
  {
    name: 'has "answer" for a response', // prose: names the habit
    pattern: /\banswer(?:s|ed)?\b/i,
  },
]

/** Finds the sentences that have one of the habits: `src/lib/clock.ts:12: begins with … | What the clock shows.` */
export const proseProblems = (file: SourceFile): string[] =>
  sentencesIn(file).flatMap(({ text, line, kind, isFirst }) =>
    HABITS.filter(({ pattern, begins, kinds }) => (isFirst || !begins) && (kinds?.includes(kind) ?? true) && pattern.test(text)).map(
      ({ name }) => `${file.path}:${line}: ${name} | ${text.slice(0, 120)}`,
    ),
  )
