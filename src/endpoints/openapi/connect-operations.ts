import type { ConnectSubresource } from '../../catalog/connect.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import type { Schema, StructSchema } from '../../schema/schema.ts'
import { METHODS, type Operation } from './operation.ts'
import type { Parameter } from './parameters.ts'

/** What an operation of a connection is made from: a path and the parameters in it. */
export interface ConnectPlace {
  readonly path: string
  readonly parameters: readonly Parameter[]
}

/** An operation of a connection, without what all operations of its kind have in common. */
export type ConnectOperation = Pick<Operation, 'path' | 'method' | 'description' | 'parameters' | 'produces' | 'responses' | 'action'> & {
  /** Stands before the operation's name: `Get`. */
  readonly verb: string
  /** Stands behind it: `WithPath`. */
  readonly suffix: string
}

/** Upstream declares no media type for what passes through. */
const ANYTHING = ['*/*']
/** What of a proxied path follows the subresource. */
const REST: Parameter = { name: 'path', in: 'path', type: 'string', description: 'path to the resource', required: true }

/** The operations of a subresource that reaches out, by method: those of proxies once more with a path behind. */
export function connectOperations(
  { methods, options, subpath }: ConnectSubresource,
  place: ConnectPlace,
  description: string,
  descriptions: Descriptions,
): ConnectOperation[] {
  const query = optionParameters(options, descriptions)
  return methods.flatMap(upper => {
    const method = METHODS.find(each => each === upper.toLowerCase())
    invariant(method, `OpenAPI has no operation for ${upper}`)
    const verb = `${upper.slice(0, 1)}${upper.slice(1).toLowerCase()}`
    const operation = { method, verb, description, produces: ANYTHING, responses: { 200: 'Text' }, action: 'connect' } as const
    const plain = { ...operation, path: place.path, parameters: [...place.parameters, ...query], suffix: '' }
    if (!subpath) return [plain]
    return [plain, { ...operation, path: `${place.path}/{path}`, parameters: [...place.parameters, REST, ...query], suffix: 'WithPath' }]
  })
}

/** The fields of an options type as parameters of a query. Upstream leaves times out. */
export function optionParameters({ definition = '', fields }: StructSchema, descriptions: Descriptions): Parameter[] {
  const said = descriptions.of(definition)?.fields
  return [...fields.values()].flatMap(({ name, schema }) => {
    const type = typeOf(schema)
    return type === undefined ? [] : [{ name, in: 'query' as const, type, description: said?.get(name) ?? '' }]
  })
}

/** Undefined: no parameter of a query. A list is the parameter of its items, repeated. */
function typeOf(schema: Schema): Parameter['type'] | undefined {
  if (schema.type === 'list') return typeOf(schema.items)
  return schema.type === 'string' || schema.type === 'integer' || schema.type === 'boolean' ? schema.type : undefined
}
