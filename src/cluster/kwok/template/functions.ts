import { FunctionError } from './errors.ts'
import { GoFloat } from './nodes.ts'
import { isList, isMap, type TemplateMap, type TemplateValue, typeName } from './values.ts'

/** Type of a parameter. `value` also accepts a missing value, which `any` turns into nil. */
export type ParameterType = 'value' | 'any' | 'string' | 'int' | 'bool' | 'map' | 'list'

/** A function that templates can call. */
export interface TemplateFunction {
  readonly parameters: readonly ParameterType[]
  /** Optional. Type of further arguments. Omitted if their number is fixed. */
  readonly rest?: ParameterType
  /** Calls the function. Arguments have the types of the parameters. Throws FunctionError. */
  readonly call: (...args: TemplateValue[]) => TemplateValue
}

/** Declares a function, with its parameters as in `string, int, any...`. */
export function declare(parameters: string, call: (...args: never[]) => TemplateValue): TemplateFunction {
  const types = parameters === '' ? [] : parameters.split(', ')
  const rest = types.at(-1)?.endsWith('...') ? types.pop()?.slice(0, -3) : undefined
  const declared = { parameters: types as ParameterType[], call: call as TemplateFunction['call'] }
  return rest === undefined ? declared : { ...declared, rest: rest as ParameterType }
}

/** Checks an argument, and converts it to what the parameter accepts. Throws FunctionError with Go's message. */
export function argumentOf(value: TemplateValue, type: ParameterType): TemplateValue {
  if (type === 'value') return value
  if (type === 'any') return value ?? null
  if (value === undefined && (type === 'map' || type === 'list')) return type === 'map' ? {} : []
  if (fits(value, type)) return value
  const expected = { string: 'string', int: 'int', bool: 'bool', map: 'map[string]interface {}', list: '[]interface {}' }[type]
  throw new FunctionError(
    value === undefined ? `invalid value; expected ${expected}` : `wrong type for value; expected ${expected}; got ${typeName(value)}`,
  )
}

function fits(value: TemplateValue, type: ParameterType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'int':
      return typeof value === 'bigint'
    case 'bool':
      return typeof value === 'boolean'
    case 'map':
      return isMap(value)
    case 'list':
      return isList(value)
    case 'value':
    case 'any':
      return true
  }
}

/** Returns the list. Throws FunctionError for other values. */
export function listIn(value: TemplateValue, name: string): readonly TemplateValue[] {
  if (!isList(value)) throw new FunctionError(`cannot find ${name} on type ${typeName(value)}`)
  return value
}

/** Returns the map. Throws FunctionError for other values. */
export function mapIn(value: TemplateValue): TemplateMap {
  if (!isMap(value)) throw new FunctionError(`expected a map, got ${typeName(value)}`)
  return value
}

/** Returns a number that a function computed as a float. Negative zero becomes zero. */
export const float = (value: number): GoFloat => new GoFloat(value + 0)
