import type { Json } from '../../../api/meta/object.ts'
import { BUILTINS } from './builtins.ts'
import { renderSplit, renderTree } from './evaluate.ts'
import type { TemplateFunction } from './functions.ts'
import { environmentFunctions, KWOK_FUNCTIONS, type TemplateEnvironment } from './kwok-functions.ts'
import { parseTemplate } from './parser.ts'
import { SPRIG_COLLECTIONS } from './sprig-collections.ts'
import { SPRIG_CONVERSIONS } from './sprig-conversions.ts'
import { SPRIG_TEXTS } from './sprig-texts.ts'
import { ValueRenderer } from './value-renderer.ts'
import type { TemplateValue } from './values.ts'

/** Functions that a template can call, by name. */
export type TemplateFunctions = ReadonlyMap<string, TemplateFunction>

/** Functions of every template. sprig's `slice` replaces the built-in one, as in kwok. */
const COMMON: TemplateFunctions = new Map(
  Object.entries({ ...BUILTINS, ...SPRIG_CONVERSIONS, ...SPRIG_TEXTS, ...SPRIG_COLLECTIONS, ...KWOK_FUNCTIONS }),
)

/** Names of the functions that an environment adds. */
const ENVIRONMENT_NAMES: ReadonlySet<string> = new Set([
  'Now',
  'StartTime',
  'Version',
  'NodeIP',
  'NodeName',
  'NodePort',
  'NodeIPWith',
  'NodeIPsWith',
  'PodIP',
  'PodIPWith',
  'PodIPsWith',
])

/** Returns the functions of templates in an environment. */
export const functionsIn = (environment: TemplateEnvironment): TemplateFunctions =>
  new Map([...COMMON, ...Object.entries(environmentFunctions(environment))])

/** Returns the common functions with others, which may replace those of an environment. */
export const functionsWith = (others: Readonly<Record<string, TemplateFunction>>): TemplateFunctions =>
  new Map([...COMMON, ...Object.entries(others)])

/** A compiled template. Its results depend on nothing else than the arguments. */
export interface Template {
  /** Renders an object as text. Throws TemplateError. */
  text(object: Json, functions: TemplateFunctions): string
  /** Renders an object as YAML, and parses that. Throws TemplateError. */
  value(object: Json, functions: TemplateFunctions): Json
}

/** Compiles a template of a Stage. Spaces around it are removed. Throws TemplateError. */
export function compileTemplate(source: string): Template {
  const tree = parseTemplate(source.trim(), name => COMMON.has(name) || ENVIRONMENT_NAMES.has(name))
  const renderer = new ValueRenderer()
  return {
    text: (object, functions) => renderTree(tree, functions, object as TemplateValue),
    value: (object, functions) => renderer.parse(renderSplit(tree, functions, object as TemplateValue)),
  }
}
