import type { ConnectSubresource } from '../../catalog/connect.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import type { Schema, StructSchema } from '../../schema/schema.ts'
import { METHODS, type Operation } from './operation.ts'
import type { Parameter } from './parameters.ts'

/** Path of a connection's operations, with the parameters in it. */
export interface ConnectTarget {
  readonly path: string
  readonly parameters: readonly Parameter[]
}

/** An operation of a connection, without the members that all operations of its resource have. */
export type ConnectOperation = Pick<Operation, 'path' | 'method' | 'description' | 'parameters' | 'produces' | 'responses' | 'action'> & {
  /** Prefix of the operation's name: `Get`. */
  readonly verb: string
  /** Suffix of the operation's name: `WithPath`. */
  readonly suffix: string
}

/** Upstream declares any media type for proxied bodies. */
const ANYTHING = ['*/*']
/** The rest of a proxied path behind the subresource. */
const REST: Parameter = { name: 'path', in: 'path', type: 'string', description: 'path to the resource', required: true }

/**
 * Returns the operations of a subresource that connects to another server, by method. Proxies have a second set with a
 * path.
 */
export function connectOperations(
  { methods, options, subpath }: ConnectSubresource,
  place: ConnectTarget,
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

/** Returns the fields of an options type as query parameters. Like upstream, it leaves out times. */
export function optionParameters({ definition = '', fields }: StructSchema, descriptions: Descriptions): Parameter[] {
  const said = descriptions.of(definition)?.fields
  return [...fields.values()].flatMap(({ name, schema }) => {
    const type = parameterType(schema)
    return type === undefined ? [] : [{ name, in: 'query' as const, type, description: said?.get(name) ?? '' }]
  })
}

/**
 * Returns the parameter type of a schema. Undefined if it is not a query parameter. A list is its item's parameter,
 * repeated.
 */
function parameterType(schema: Schema): Parameter['type'] | undefined {
  if (schema.type === 'list') return parameterType(schema.items)
  return schema.type === 'string' || schema.type === 'integer' || schema.type === 'boolean' ? schema.type : undefined
}
