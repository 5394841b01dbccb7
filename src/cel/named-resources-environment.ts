import { type Environment, extend, withLibrary } from './environment.ts'
import { SEMVER_OF_STRINGS } from './libraries/semver.ts'
import { parseType, type Type } from './type.ts'

/** Variables for the attributes of an instance: one map per attribute type. */
const ATTRIBUTES: Readonly<Record<string, Type>> = Object.fromEntries(
  Object.entries({
    quantity: 'kubernetes.Quantity',
    bool: 'bool',
    int: 'int',
    intslice: 'list(int)',
    string: 'string',
    stringslice: 'list(string)',
    version: 'kubernetes.Semver',
  }).map(([name, type]) => [`attributes.${name}`, parseType(`map(string, ${type})`)]),
)

/**
 * Environment of selectors of named resources. Attributes of an instance are selected by type and name:
 * `attributes.bool['fast']`. Source: k8s.io/dynamic-resource-allocation, structured/namedresources/cel/compile.go,
 * 1.30.
 */
export const namedResourcesEnvironment = (base: Environment): Environment =>
  extend(withLibrary(base, SEMVER_OF_STRINGS, new Map()), ATTRIBUTES)
