import { type CallExpression, type Expression, parseSync, Visitor } from 'oxc-parser'
import type { SourceFile } from './source-files.ts'

/** A sentence of a file, or the beginning of one. */
export interface Sentence {
  readonly text: string
  readonly line: number
  readonly kind: SentenceKind
  /** Whether a comment or title begins with it. */
  readonly isFirst: boolean
}

export type SentenceKind = 'comment' | 'text' | 'title' | 'page' | 'heading'

/** A line with this marker may say what a habit forbids. The reason stands behind it. */
const EXCEPTION = /prose: \w/

const CODE = /`[^`]*`/g

const TESTS: readonly string[] = ['describe', 'it']

/** Returns the sentences of a source file, a page in Markdown, or a text with the descriptions of types. */
export function sentencesIn(file: SourceFile): Sentence[] {
  if (/\.types\.ts$/.test(file.path)) return []
  if (file.path.endsWith('.md')) return pageSentences(file.text)
  if (file.path.endsWith('.txt')) return descriptionSentences(file.text)
  return [...commentSentences(file), ...(/^test\//.test(file.path) ? titleSentences(file) : textSentences(file))]
}

function commentSentences({ path, text }: SourceFile): Sentence[] {
  const { comments } = parseSync(path, text)
  return comments.flatMap(({ value, start, end }) => {
    if (EXCEPTION.test(text.slice(start, end))) return []
    const plain = value
      .replace(/^[*\s]+/, '')
      .replace(/\n\s*\* ?/g, ' ')
      .replace(CODE, '`x`')
    return sentencesOf(plain, lineAt(text, start), 'comment')
  })
}

/** String literals and templates of three words or more: messages, help and descriptions. */
function textSentences({ path, text }: SourceFile): Sentence[] {
  const found: Sentence[] = []
  const lines = text.split('\n')
  const add = (value: string, start: number): void => {
    const line = lineAt(text, start)
    if (value.trim().split(/\s+/).length < 3 || EXCEPTION.test(lines[line - 1] ?? '')) return
    found.push(...sentencesOf(value, line, 'text'))
  }
  new Visitor({
    Literal: node => {
      if (typeof node.value === 'string') add(node.value, node.start)
    },
    TemplateLiteral: node => add(node.quasis.map(({ value }) => value.cooked ?? '').join('x'), node.start),
    JSXText: node => add(node.value, node.start),
  }).visit(parseSync(path, text).program)
  return found
}

/** Titles of `describe` and `it`. */
function titleSentences({ path, text }: SourceFile): Sentence[] {
  const found: Sentence[] = []
  const lines = text.split('\n')
  new Visitor({
    CallExpression: node => {
      const title = titleOf(node)
      if (title === undefined) return
      const line = lineAt(text, node.start)
      if (!EXCEPTION.test(lines[line - 1] ?? '')) found.push({ text: title, line, kind: 'title', isFirst: true })
    },
  }).visit(parseSync(path, text).program)
  return found
}

function titleOf({ callee, arguments: [title] }: CallExpression): string | undefined {
  if (!title || !TESTS.includes(nameOf(callee) ?? '')) return undefined
  if (title.type === 'Literal' && typeof title.value === 'string') return title.value
  return title.type === 'TemplateLiteral' ? title.quasis.map(({ value }) => value.cooked ?? '').join('x') : undefined
}

/** Returns the name of a called function: `it` in `it()`, `it.skip()` and `(isBuilt ? it : it.skip)()`. */
function nameOf(callee: Expression): string | undefined {
  if (callee.type === 'MemberExpression') return nameOf(callee.object)
  if (callee.type === 'ParenthesizedExpression') return nameOf(callee.expression)
  if (callee.type === 'ConditionalExpression') return nameOf(callee.consequent)
  return callee.type === 'Identifier' ? callee.name : undefined
}

/** Paragraphs, list items and table cells outside of code. */
function pageSentences(text: string): Sentence[] {
  let isCode = false
  return text.split('\n').flatMap((line, i) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode || EXCEPTION.test(line)) return []
    const plain = line.replace(CODE, '`x`').replace(/^[\s#>*-]+/, '')
    return plain.split('|').flatMap(part => sentencesOf(part, i + 1, line.startsWith('#') ? 'heading' : 'page'))
  })
}

/** Descriptions of types and fields, without their names. `src/schema/openapi/descriptions.ts` has the format. */
const descriptionSentences = (text: string): Sentence[] =>
  text
    .split('\n')
    .flatMap((line, i) =>
      EXCEPTION.test(line) ? [] : sentencesOf(line.replace(CODE, '`x`').replace(/^(?:# | *\w[^:]*: )/, ''), i + 1, 'comment'),
    )

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

const sentencesOf = (text: string, line: number, kind: SentenceKind): Sentence[] =>
  text
    .split(/(?<=[.:;])\s+(?=[A-Z`])/)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
    .map((sentence, i) => ({ text: sentence, line, kind, isFirst: i === 0 }))
