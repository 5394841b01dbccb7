import { marked, type Tokens } from 'marked'

/**
 * A fenced block of code in a page, and what the comment before it says about running it:
 * `<!-- test: needs etcd; beside -->`.
 */
export interface CodeBlock {
  readonly language: string
  readonly text: string
  /** Of its first line, in the page. */
  readonly line: number
  readonly marker: Marker
}

export interface Marker {
  /** Optional. The reason why the block is not run. */
  readonly shown?: string
  /** Programs and conditions that the block requires. */
  readonly needs: readonly string[]
  /** Whether the block starts a server that `isServing` does not recognise. */
  readonly serves?: true
  /** Its server runs beside those that run already. */
  readonly isBeside?: true
  /** Optional. The file whose content the block is. */
  readonly file?: string
  /** Exit status of the last command, 0 unless the block states another. */
  readonly exits: number
}

const COMMENT = /^<!-- test: ([\s\S]*?) -->\s*$/

/** Throws an Error for a marker that has no meaning. */
export function readMarker(comment: string): Marker {
  const [, text] = COMMENT.exec(comment) ?? []
  const marker: { -readonly [key in keyof Marker]: Marker[key] } = { needs: [], exits: 0 }
  for (const part of text?.split('; ') ?? []) {
    const [word = '', ...rest] = part.split(/,? /)
    const value = rest.join(' ')
    if (word === 'shown' && value !== '') marker.shown = part.slice('shown, '.length)
    else if (word === 'needs' && value !== '') marker.needs = part.slice('needs '.length).split(', ')
    else if (part === 'serves') marker.serves = true
    else if (part === 'beside') marker.isBeside = true
    else if (word === 'file' && value !== '') marker.file = value
    else if (word === 'exits' && /^\d+$/.test(value)) marker.exits = Number(value)
    else
      throw new Error(
        `a marker of tests says ${JSON.stringify(part)}: shown, REASON; needs NAME, NAME; serves; beside; file NAME; exits STATUS`,
      )
  }
  return marker
}

/** The blocks of a page in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const found: CodeBlock[] = []
  let comment = ''
  let line = 1
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'html') comment = token.raw
    else if (token.type === 'code') {
      const { lang = '', text } = token as Tokens.Code
      found.push({ language: lang, text, line, marker: readMarker(comment) })
    }
    if (token.type !== 'html' && token.type !== 'space') comment = ''
    line += token.raw.split('\n').length - 1
  }
  return found
}

/**
 * Whether a block starts a server, which runs until the page ends or another is started: the program with flags alone,
 * or `make run`.
 */
export const isServing = (text: string): boolean =>
  /^(?:\$ )?(?:(?:\S*\/)?(?:binnacle|kube-apiserver)(?: -.*)?|make run\b.*)$/m.test(text) && !/ --(?:help|version)\b| &$/m.test(text)

/** A command of a `console` block, and what the page shows of its output; nothing: it is not shown. */
export interface ShownCommand {
  readonly command: string
  readonly output: string
}

/** `$ command` and output. A command goes on where its line ends with `\`. */
export function shownCommands(text: string): ShownCommand[] {
  const commands: { command: string; output: string }[] = []
  for (const line of text.split('\n')) {
    const last = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: '' })
    else if (last?.output === '' && last.command.endsWith('\\')) last.command += `\n${line}`
    else if (last !== undefined) last.output += `${line}\n`
  }
  return commands
}

/** An age or a duration, a port of this machine, and blanks, which are as wide as a column. */
const VARYING = /\b\d+(?:ms|[smhd])\b|127\.0\.0\.1:\d+|\s+|…/g

/** Whether a program has printed what a page shows: `…` is any text, and ages and ports are any. */
export function isShown(shown: string, printed: string): boolean {
  let pattern = ''
  let from = 0
  const wanted = shown.trim()
  for (const { 0: varying, index } of wanted.matchAll(VARYING)) {
    pattern += literal(wanted.slice(from, index))
    if (varying === '…') pattern += '[^]*?'
    else if (varying.startsWith('127.')) pattern += '127\\.0\\.0\\.1:\\d+'
    else pattern += /^\s/.test(varying) ? '\\s+' : '(?:\\d+[a-z]+)+'
    from = index + varying.length
  }
  return new RegExp(`^\\s*${pattern}${literal(wanted.slice(from))}\\s*$`).test(printed)
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
