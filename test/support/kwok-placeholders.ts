import { declare, type TemplateFunction } from '../../src/cluster/kwok/template/functions.ts'
import { goSyntax } from '../../src/cluster/kwok/template/printf.ts'
import { functionsWith } from '../../src/cluster/kwok/template/template.ts'
import type { TemplateValue } from '../../src/cluster/kwok/template/values.ts'

/** Functions that return one text, and those that return two: `<Now>`, `<0 of PodIPsWith("node")>`. */
const SINGLE = ['NodeIP', 'NodeName', 'NodePort', 'PodIP', 'NodeIPWith', 'PodIPWith', 'Now', 'Version']
const DOUBLE = ['NodeIPsWith', 'PodIPsWith']

const callText = (name: string, args: readonly TemplateValue[]): string =>
  args.length === 0 ? name : `${name}(${args.map(goSyntax).join(', ')})`

/** Functions of time and address that return their own call. */
export const PLACEHOLDERS = functionsWith(
  Object.fromEntries([
    ...SINGLE.map((name): [string, TemplateFunction] => [
      name,
      declare('any...', (...args: TemplateValue[]) => `<${callText(name, args)}>`),
    ]),
    ...DOUBLE.map((name): [string, TemplateFunction] => [
      name,
      declare('any...', (...args: TemplateValue[]) => [0, 1].map(i => `<${i} of ${callText(name, args)}>`)),
    ]),
  ]),
)
