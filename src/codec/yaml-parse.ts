import type { Steps } from '../lib/steps.ts'
import { YamlProblem } from './yaml-cursor.ts'
import { type EventConsumer, UnknownAnchor, YamlGrammar } from './yaml-grammar.ts'
import type { ReaderFault } from './yaml-source.ts'

/** A syntax error with the message of go-yaml: `yaml: line 4: did not find expected key`. */
export interface YamlFault {
  readonly message: string
  /** Offset of the text that has to be corrected. */
  readonly at: number
}

/**
 * Parses the first document of a text with the grammar of go-yaml, in steps, and returns its error:
 * `yaml: line 4: did not find expected key`. Text that follows the document is ignored: `{a: b} c`. Takes time linear
 * in the text. `readerFault`: error that is returned if the scanner reaches it.
 */
export function* parseDocument(text: string, consume: EventConsumer, readerFault?: ReaderFault): Steps<string | undefined> {
  const grammar = new YamlGrammar(text, false)
  let fault: string | undefined
  try {
    yield* grammar.parse(consume)
  } catch (error) {
    fault = syntaxFault(error).message
  }
  return readerFault !== undefined && grammar.hasRead(readerFault.from) ? `yaml: ${readerFault.message}` : fault
}

/**
 * Parses all documents of a text, and returns the first error. `firstLine`: lines above the text, which messages count.
 */
export function* parseAllDocuments(text: string, consume: EventConsumer, firstLine = 0): Steps<YamlFault | undefined> {
  try {
    yield* new YamlGrammar(text, true).parse(consume)
    return undefined
  } catch (error) {
    return syntaxFault(error, firstLine)
  }
}

/** Returns an error of the grammar. Throws any other error. */
function syntaxFault(error: unknown, firstLine = 0): YamlFault {
  if (error instanceof UnknownAnchor) return { message: `yaml: unknown anchor '${error.message}' referenced`, at: error.at }
  if (!(error instanceof YamlProblem)) throw error
  const { position, ofScanner, message } = error
  const line = position.line + firstLine
  return { message: `yaml: ${line === 0 ? '' : `line ${ofScanner ? line + 1 : line}: `}${message}`, at: position.at }
}
