import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { SWAGGER_PARTS, type SwaggerMember } from './documents.ts'

/**
 * The part of another server's Swagger document that is merged into ours: the paths that it serves, and everything that
 * they refer to.
 */
export interface ForeignSwagger {
  readonly paths: Readonly<JsonObject>
  readonly definitions: Readonly<JsonObject>
  readonly parameters: Readonly<JsonObject>
}

type SwaggerPart = SwaggerMember['part']
/** Parts whose members are referred to by name. */
type NamedPart = Exclude<SwaggerPart, 'paths'>
type SwaggerMembers = Generator<SwaggerMember | undefined, void>

const NAMED: readonly NamedPart[] = ['definitions', 'parameters']
const GVKS = 'x-kubernetes-group-version-kind'

/**
 * Returns the members of our document, followed by those of other documents in each part. Existing paths take
 * precedence. A definition or parameter whose name is taken by a different one is renamed (`NAME_v2`). If both are
 * equal except for descriptions and kinds, it is included once, with the kinds of both. `local` is called twice, so
 * that its members are not buffered. Source: k8s.io/kube-openapi, pkg/aggregator.
 */
export function* mergedMembers(local: () => SwaggerMembers, foreign: readonly ForeignSwagger[]): SwaggerMembers {
  if (foreign.length === 0) {
    yield* local()
    return
  }
  const merge = new Merge()
  for (const member of local()) {
    if (member && isWanted(member, foreign)) yield* merge.known(member)
    else if (member) merge.names[member.part].add(member.name)
    yield
  }
  const added: Record<SwaggerPart, SwaggerMember[]> = { paths: [], definitions: [], parameters: [] }
  for (const swagger of foreign) {
    for (const member of merge.add(swagger)) {
      if (member) added[member.part].push(member)
      yield
    }
  }
  let part = 0
  for (const member of local()) {
    for (; member && SWAGGER_PARTS[part] !== member.part && part < SWAGGER_PARTS.length; part++)
      yield* added[SWAGGER_PARTS[part] ?? 'paths']
    yield member && merge.withKinds(member)
  }
  for (; part < SWAGGER_PARTS.length; part++) yield* added[SWAGGER_PARTS[part] ?? 'paths']
}

const isWanted = ({ part, name }: SwaggerMember, foreign: readonly ForeignSwagger[]): boolean =>
  foreign.some(swagger => Object.hasOwn(swagger[part], name))

/** The merged document so far. */
class Merge {
  readonly names: Readonly<Record<SwaggerPart, Set<string>>> = { paths: new Set(), definitions: new Set(), parameters: new Set() }
  /** Compared contents of members whose names other documents have as well. */
  readonly #said: Readonly<Record<NamedPart, Map<string, string>>> = { definitions: new Map(), parameters: new Map() }
  /** Kinds of other documents that a definition of ours stands for as well. */
  readonly #kinds = new Map<string, JsonObject[]>()

  /** Returns a definition of ours with the kinds of others. */
  withKinds(member: SwaggerMember): SwaggerMember {
    const more = member.part === 'definitions' ? this.#kinds.get(member.name) : undefined
    if (!more) return member
    const kinds = new Map([...objectList(member.value[GVKS]), ...more].map(kind => [kindText(kind), kind]))
    const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind)
    return { ...member, value: { ...member.value, [GVKS]: sorted } }
  }

  *known({ part, name, value }: SwaggerMember): Steps<void> {
    this.names[part].add(name)
    if (part !== 'paths') this.#said[part].set(name, yield* saidBy(value))
  }

  /** Returns the members that another document adds. Undefined where other work may run. */
  *add(swagger: ForeignSwagger): Generator<SwaggerMember | undefined, void> {
    const paths = Object.entries(swagger.paths).filter(([name]) => !this.names.paths.has(name))
    if (paths.length === 0) return
    const renamed = new Map<string, string>()
    const added: SwaggerMember[] = []
    for (const part of NAMED) {
      for (const [name, value] of Object.entries(swagger[part])) {
        yield
        const said = yield* saidBy(value)
        const as = this.#nameFor(part, name, said, swagger[part])
        if (as !== name) renamed.set(`#/${part}/${name}`, `#/${part}/${as}`)
        if (!this.names[part].has(as)) added.push({ part, name: as, value: objectIn(value) })
        else if (part === 'definitions') this.#alsoFor(as, objectIn(value)[GVKS])
        this.names[part].add(as)
        this.#said[part].set(as, said)
      }
    }
    for (const [name, value] of paths) {
      this.names.paths.add(name)
      added.push({ part: 'paths', name, value: objectIn(value) })
      if (isStepDone()) yield
    }
    for (const member of added)
      yield { ...member, value: renamed.size === 0 ? member.value : objectIn(yield* withReferences(member.value, renamed)) }
  }

  /**
   * Returns a name that is free or has equal contents: `name`, or `name_v2` and so on. A new name must not collide with
   * one of the same document.
   */
  #nameFor(part: NamedPart, name: string, said: string, others: Readonly<JsonObject>): string {
    const isFree = (each: string): boolean => !this.names[part].has(each) || this.#said[part].get(each) === said
    let as = name
    for (let i = 2; !isFree(as) || (as !== name && Object.hasOwn(others, as)); i++) as = `${name}_v${i}`
    return as
  }

  /** Adds kinds to a definition of ours. */
  #alsoFor(name: string, kinds: Json | undefined): void {
    const more = objectList(kinds)
    if (more.length > 0) this.#kinds.set(name, [...(this.#kinds.get(name) ?? []), ...more])
  }
}

const objectList = (kinds: Json | undefined): JsonObject[] => (Array.isArray(kinds) ? kinds.map(objectIn) : [])

const kindText = ({ group, version, kind }: JsonObject): string => `${group}/${version}.${kind}`

/**
 * Returns the text by which definitions are compared: everything except descriptions and kinds, with sorted members.
 */
function* saidBy(value: Json): Steps<string> {
  if (isStepDone()) yield
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* saidBy(item))
    return `[${parts.join(',')}]`
  }
  const members = Object.entries(value)
    .filter(([name, member]) => name !== GVKS && !(name === 'description' && typeof member === 'string'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, member] of members) parts.push(`${JSON.stringify(name)}:${yield* saidBy(member)}`)
  return `{${parts.join(',')}}`
}

/** Returns a copy with renamed references. */
function* withReferences(value: Json, renamed: ReadonlyMap<string, string>): Steps<Json> {
  if (isStepDone()) yield
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (const item of value) items.push(yield* withReferences(item, renamed))
    return items
  }
  const members: [string, Json][] = []
  for (const [name, member] of Object.entries(value))
    members.push([
      name,
      name === '$ref' && typeof member === 'string' ? (renamed.get(member) ?? member) : yield* withReferences(member, renamed),
    ])
  return Object.fromEntries(members)
}
