import { invariant } from '../../lib/invariant.ts'

/** Description of a type, and of its fields by name. */
interface TypeDescription {
  /** Description of the type itself. */
  readonly text: string
  /** Descriptions by JSON name. */
  readonly fields: ReadonlyMap<string, string>
}

/**
 * Descriptions of types and fields, kept in text files beside the declarations and read when a document is created. All
 * versions of a group share one text:
 *
 *     Probe: A check that the kubelet makes of a container.
 *       periodSeconds: Seconds from one check to the next.
 *
 *     JobCondition like meta.Condition: One aspect of the state of a job.
 *       type: Complete, Failed or Suspended.
 *
 * `like` copies the field descriptions of an earlier type of the group or of `group.Type`, apart from those that
 * follow. A line beginning with `#` is a comment.
 */
export class Descriptions {
  readonly #read: (group: string) => string
  readonly #groups = new Map<string, ReadonlyMap<string, TypeDescription>>()
  readonly #types = new Map<string, TypeDescription | undefined>()

  /**
   * `read` returns the text of a group (`core`, `meta`), or an empty text. It is called once per group, when one of its
   * types is first used.
   */
  constructor(read: (group: string) => string) {
    this.#read = read
  }

  /** Returns the description of a type by its definition name, `io.k8s.api.core.v1.Pod`. */
  of(definition: string): TypeDescription | undefined {
    if (!this.#types.has(definition)) {
      const group = GROUP.exec(definition)?.[1] ?? (definition.startsWith(MACHINERY) ? 'meta' : undefined)
      const name = definition.slice(definition.lastIndexOf('.') + 1)
      this.#types.set(definition, group === undefined ? undefined : this.#group(group).get(name))
    }
    return this.#types.get(definition)
  }

  /** Returns the types of a group, which are parsed on first use. Throws an InvariantError for a malformed text. */
  #group(group: string): ReadonlyMap<string, TypeDescription> {
    const known = this.#groups.get(group)
    if (known) return known
    const types = new Map<string, TypeDescription>()
    this.#groups.set(group, types)
    for (const { name, model, text, fields } of parseBlocks(this.#read(group))) {
      invariant(!types.has(name), `${group}.${name} is described twice`)
      types.set(name, { text, fields: model === undefined ? fields : new Map([...this.#model(group, model).fields, ...fields]) })
    }
    return types
  }

  /** Returns the type that `like` names, which must stand above. */
  #model(group: string, name: string): TypeDescription {
    const at = name.indexOf('.')
    const found = this.#group(at < 0 ? group : name.slice(0, at)).get(name.slice(at + 1))
    invariant(found, `${group}: ${name} is not described above`)
    return found
  }
}

/** Descriptions of no type, for documents without them. */
export const noDescriptions = new Descriptions(() => '')

/** Definition names contain a group and version. Those of apimachinery belong to the group `meta`. */
const GROUP = /^io\.k8s\.(?:api|(?:apiextensions-apiserver|apimachinery|kube-aggregator|metrics)\.pkg\.apis)\.([a-z]+)\.v\w+\.\w+$/
/** Prefix of the definitions of apimachinery. Not all of them have a version in their name. */
const MACHINERY = 'io.k8s.apimachinery.pkg.'

/** A type in the text, with the lines of its fields. */
interface Block {
  readonly name: string
  /** Type after `like`. */
  readonly model: string | undefined
  readonly text: string
  readonly fields: Map<string, string>
}

/** `Type: text` or `Type like Model: text`. */
const TYPE = /^(\w+)(?: like ([\w.]+))?: (\S.*)$/
/** `  field: text` */
const FIELD = /^ {2}(\S+): (\S.*)$/

/**
 * Yields types in the order of the file, each after its last field. A type's line may name a model (`like`), whose
 * descriptions it has too; empty lines and comments are skipped.
 */
function* parseBlocks(source: string): Generator<Block> {
  let block: Block | undefined
  for (const line of source.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, model, text] = TYPE.exec(line) ?? []
    const [, field, said] = FIELD.exec(line) ?? []
    if (name !== undefined && text !== undefined) {
      if (block) yield block
      block = { name, model, text, fields: new Map() }
    } else {
      invariant(block && field !== undefined && said !== undefined, `neither a type nor a field with its description: ${line}`)
      invariant(!block.fields.has(field), `${block.name}.${field} is described twice`)
      block.fields.set(field, said)
    }
  }
  if (block) yield block
}
