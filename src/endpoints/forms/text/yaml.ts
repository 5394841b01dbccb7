import { parseJson } from '../../../codec/json.ts'
import { YAML_TYPE } from '../../../codec/negotiate.ts'
import { yamlBytes, yamlInSteps } from '../../../codec/yaml.ts'
import { wholeOf } from '../../../lib/filled-body.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { opened, type TextStyle } from './text-form.ts'

/** Bytes of JSON beyond which YAML is made in steps. */
const LONG = 64 * 1024

/** YAML of what the JSON says. */
export const yaml: TextStyle = {
  contentType: YAML_TYPE,
  write(text) {
    const json = wholeOf(opened(text))
    const { value } = parseJson(json)
    return json.length > LONG ? runInTurns(yamlInSteps(value)) : yamlBytes(value)
  },
}
