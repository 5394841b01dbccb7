import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { parseYaml, YamlError } from '../../../codec/yaml.ts'
import { setMember } from '../../../meta/equal.ts'
import { TemplateError } from './errors.ts'

/** Marks the place of a quoted text. A character of the private use area, which objects hardly ever have. */
export const PLACE = '\ue000'
const PLACES = new RegExp(`"${PLACE}(\\d+)${PLACE}"`, 'g')
const ONE_PLACE = new RegExp(`^${PLACE}(\\d+)${PLACE}$`)

/** Output of a template whose quoted texts are apart: objects that differ only in those have the same `shape`. */
export interface SplitOutput {
  /** The output with a place for each quoted text: `name: "\ue0000\ue000"`. */
  readonly shape: string
  readonly texts: readonly string[]
}

/** Shapes that a template keeps, and outputs without a known shape after which it stops looking. */
const MOST_SHAPES = 32
const MOST_MISSES = 200

/**
 * Parses outputs of one template as YAML. The parsed form of a shape is kept, because most objects that a template
 * renders differ only in quoted texts: names, addresses and times.
 */
export class ValueRenderer {
  /** Parsed shapes. Undefined if a place is not a whole text, so that the output must be parsed. */
  readonly #shapes = new Map<string, Json | undefined>()
  #hits = 0
  #misses = 0

  /** Returns the value of an output. Throws TemplateError if it is not YAML. */
  parse(output: SplitOutput): Json {
    const { shape, texts } = output
    const isUnknown = this.#misses > MOST_MISSES && this.#hits < this.#misses
    // Without quoted texts, a mark is one of the object's own.
    if (isUnknown || (texts.length === 0 && shape.includes(PLACE))) return parsedYaml(whole(output))
    if (this.#shapes.has(shape)) this.#hits++
    else this.#learn(shape)
    const known = this.#shapes.get(shape)
    return known === undefined ? parsedYaml(whole(output)) : filled(known, texts)
  }

  #learn(shape: string): void {
    this.#misses++
    if (this.#shapes.size >= MOST_SHAPES) this.#shapes.clear()
    this.#shapes.set(shape, parsedShape(shape))
  }
}

/** Returns the output as text. */
const whole = ({ shape, texts }: SplitOutput): string =>
  texts.length === 0 ? shape : shape.replace(PLACES, (_, place: string) => `"${texts[Number(place)] ?? ''}"`)

function parsedShape(shape: string): Json | undefined {
  try {
    const value = parsedYaml(shape)
    return hasWholePlaces(value) ? value : undefined
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** Reports whether every place is a text of its own, and none is a name. */
function hasWholePlaces(value: Json): boolean {
  if (typeof value === 'string') return !value.includes(PLACE) || ONE_PLACE.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(hasWholePlaces)
  return Object.entries(value).every(([name, member]) => !name.includes(PLACE) && hasWholePlaces(member))
}

/** Copies a parsed shape with texts in its places. */
function filled(value: Json, texts: readonly string[]): Json {
  if (typeof value === 'string') return value.startsWith(PLACE) ? (texts[Number(value.slice(1, -1))] ?? '') : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => filled(item, texts))
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setMember(copy, name, filled(member, texts))
  return copy
}

/** Longest output that is parsed, in characters: some milliseconds. */
const MAX_PARSED = 64 * 1024

function parsedYaml(text: string): Json {
  if (text.length > MAX_PARSED) throw new TemplateError(`the template renders more than ${MAX_PARSED} characters`)
  try {
    const { value, duplicates } = parseYaml(Buffer.from(text))
    const [duplicate] = duplicates
    if (duplicate !== undefined) throw new TemplateError(`the template renders invalid YAML: ${duplicate}`)
    return value
  } catch (error) {
    if (error instanceof YamlError) throw new TemplateError(`the template renders invalid YAML: ${error.message}`)
    throw error
  }
}
