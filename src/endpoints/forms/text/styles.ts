import { JSON_TYPE, YAML_TYPE } from '../../../codec/accept-header.ts'
import { indentJson, JsonIndenter } from '../../../codec/json-indent.ts'
import { parseOwnParts } from '../../../codec/json-parts.ts'
import { yamlInSteps } from '../../../codec/yaml.ts'
import { type FilledBody, wholeInSteps, wholeOf } from '../../../lib/filled-body.ts'
import { type Steps, startInTurns } from '../../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import { type JsonText, opened, type TextStyle } from './text-form.ts'

/** Compact JSON. */
export const compact: TextStyle = {
  contentType: JSON_TYPE,
  write(text) {
    if (typeof text === 'function') return text()
    const [only] = text
    return text.length === 1 && only !== undefined ? only : text
  },
}

/** Longer JSON is indented while it is sent, in bytes. */
const INDENT_AT_ONCE = 64 * 1024

/** Indented JSON. */
export const indented: TextStyle = {
  contentType: JSON_TYPE,
  write(text) {
    const body = opened(text)
    return body.length > INDENT_AT_ONCE ? indentedBody(() => opened(text)) : indentJson(wholeOf(body))
  },
}

const PART_BYTES = 64 * 1024

/**
 * Indents a long body of JSON while it is sent. The body is opened twice: the response begins with its length, so the
 * length is computed first.
 */
export async function indentedBody(open: () => FilledBody): Promise<FilledBody> {
  const part = Buffer.allocUnsafe(PART_BYTES)
  const measuring = new JsonIndenter()
  let length = 0
  const measured = open()
  for (let read = 0; read < measured.length; ) {
    if (turnIsSpent()) await nextTurn()
    const filled = measured.fill(part)
    read += filled.length
    length += measuring.measure(filled)
  }
  const body = open()
  const indenter = new JsonIndenter()
  let taken: Buffer = Buffer.alloc(0)
  let at = 0
  let left = body.length
  const fill = (target: Buffer): Buffer => {
    let out = 0
    for (;;) {
      const { read, written } = indenter.write(taken, at, target, out)
      at = read
      out = written
      if (at < taken.length || left === 0) return target.subarray(0, out)
      taken = body.fill(part)
      left -= taken.length
      at = 0
    }
  }
  return { length, fill }
}

/** YAML. */
export const yaml: TextStyle = {
  contentType: YAML_TYPE,
  write: text => startInTurns(yamlOf(text)),
}

/** Converts JSON to YAML in steps, even if it is short: deep nesting makes long lines. */
function* yamlOf(text: JsonText): Steps<Buffer[]> {
  const json = yield* wholeInSteps(opened(text))
  return yield* yamlInSteps(yield* parseOwnParts(json))
}
