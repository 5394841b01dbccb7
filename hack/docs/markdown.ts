import { marked, type Token, type Tokens } from 'marked'

export interface Heading {
  readonly depth: number
  /** Without its markup. */
  readonly text: string
  /** Unique within its page, as GitHub makes it. */
  readonly anchor: string
}

/** A page as its Markdown says it. */
export interface Markdown {
  readonly tokens: readonly Token[]
  /** In their order, those of every depth. */
  readonly headings: readonly Heading[]
  /** Where links and pictures point to. */
  readonly targets: readonly string[]
}

/** Markup that a heading may have, which is not part of its text. */
const MARKUP = /\[([^\]]*)\]\([^)]*\)|[*`]/g

/** The anchor of a heading, before it is made unique. Source: github-slugger. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

export function readMarkdown(text: string): Markdown {
  const tokens = marked.lexer(text)
  const headings: Heading[] = []
  const targets: string[] = []
  const seen = new Map<string, number>()
  void marked.walkTokens(tokens, token => {
    if (token.type === 'link' || token.type === 'image') targets.push((token as Tokens.Link).href)
    if (token.type !== 'heading') return
    const plain = (token as Tokens.Heading).text.replace(MARKUP, (_all, label: string | undefined) => label?.replace(MARKUP, '') ?? '')
    const slug = slugOf(plain)
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    headings.push({ depth: (token as Tokens.Heading).depth, text: plain, anchor: times === 0 ? slug : `${slug}-${times}` })
  })
  return { tokens, headings, targets }
}

/** The text of a page's first heading. */
export const titleOf = ({ headings }: Markdown, otherwise: string): string => headings[0]?.text ?? otherwise
