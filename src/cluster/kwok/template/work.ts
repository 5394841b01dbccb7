import { GoFloat } from './nodes.ts'
import { isList, type TemplateValue } from './values.ts'

/** Characters that a step of work on texts covers. */
const CHARACTERS_PER_STEP = 64
/** Elements of a list that a step of work on its elements, but not on what they contain, covers. */
const ELEMENTS_PER_STEP = 8

const named = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Functions whose work does not depend on the sizes of lists and maps that they get. */
const BY_TEXTS = named(
  'index first last get hasKey set unset list tuple default empty coalesce all any ternary eq ne lt le gt ge not typeOf typeIs kindOf kindIs pluck',
)
/**
 * Functions that read the elements of lists and maps, but not what these contain. All functions that are not listed
 * read everything.
 */
const BY_ELEMENTS = named('len keys values slice rest initial reverse append push prepend concat pick omit compact')
/** Functions that take longer for each character than others, and those that make a value of each. */
const SLOW = named('fromJson mustFromJson title untitle nospace quote Quote html js urlquery YAML printf')
const SLOW_FACTOR = 4
const BY_CHARACTERS = named('split splitn splitList trimAll replace indent nindent')
const CHARACTER_FACTOR = 16

/**
 * Returns the steps that a function takes for an argument. Stops at `most`, which a step of the caller may not exceed.
 */
export function argumentSteps(name: string, value: TemplateValue, most: number): number {
  const factor = SLOW.has(name) ? SLOW_FACTOR : BY_CHARACTERS.has(name) ? CHARACTER_FACTOR : 1
  if (typeof value !== 'object' || value === null || value instanceof GoFloat) return factor * textSteps(value)
  if (BY_TEXTS.has(name)) return 0
  return BY_ELEMENTS.has(name) ? elementSteps(value) : factor * valueSteps(value, most)
}

/** Returns the steps of making a result. */
export const resultSteps = (value: TemplateValue): number =>
  isList(value) ? Math.floor(value.length / ELEMENTS_PER_STEP) : textSteps(value)

/** Returns the steps of reading the elements of a list or map. */
export function elementSteps(value: TemplateValue): number {
  if (typeof value !== 'object' || value === null || value instanceof GoFloat) return 0
  return isList(value) ? Math.floor(value.length / ELEMENTS_PER_STEP) : Object.keys(value).length
}

/** Depth below which values are not counted: functions refuse such values. */
const MAX_DEPTH = 1000

/**
 * Returns the steps of reading everything in a value, or a number above `most`. A value may contain another very often,
 * and itself.
 */
export function valueSteps(value: TemplateValue, most: number, depth = 0): number {
  if (depth > MAX_DEPTH) return 0
  if (typeof value !== 'object' || value === null || value instanceof GoFloat) return textSteps(value)
  let steps = 1
  if (isList(value)) {
    for (const item of value) {
      if (steps > most) break
      steps += 1 + valueSteps(item, most - steps, depth + 1)
    }
    return steps
  }
  for (const [key, member] of Object.entries(value)) {
    if (steps > most) break
    steps += 1 + textSteps(key) + valueSteps(member, most - steps, depth + 1)
  }
  return steps
}

const textSteps = (value: TemplateValue): number => (typeof value === 'string' ? Math.floor(value.length / CHARACTERS_PER_STEP) : 0)
