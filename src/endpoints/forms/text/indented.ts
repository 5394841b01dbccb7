import { indentJson } from '../../../codec/json-indent.ts'
import { JSON_TYPE } from '../../../codec/negotiate.ts'
import { wholeOf } from '../../../lib/filled-body.ts'
import { indentedBody } from './indented-body.ts'
import { opened, type TextStyle } from './text-form.ts'

/** Longer than this, JSON is indented while it is sent. */
const INDENT_AT_ONCE = 64 * 1024

/** JSON for people. */
export const indented: TextStyle = {
  contentType: JSON_TYPE,
  write(text) {
    const body = opened(text)
    return body.length > INDENT_AT_ONCE ? indentedBody(() => opened(text)) : indentJson(wholeOf(body))
  },
}
