import { parseJson } from '../../../codec/json.ts'
import { YAML_TYPE } from '../../../codec/negotiate.ts'
import { yamlBytes } from '../../../codec/yaml.ts'
import { wholeOf } from '../../../lib/filled-body.ts'
import { opened, type TextStyle } from './text-form.ts'

/** YAML of what the JSON says. */
export const yaml: TextStyle = {
  contentType: YAML_TYPE,
  write: text => yamlBytes(parseJson(wholeOf(opened(text))).value),
}
