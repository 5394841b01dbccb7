import type { TypedObject } from '../meta/object.ts'
import type { KindDefinition, ResourceDefinition, Subresource } from './definition.ts'

/** A kind as the catalog holds it, among kinds of other types. */
export const defineResource = <H extends TypedObject>(definition: KindDefinition<H>): ResourceDefinition => widened(definition)

/** A subresource of a kind of its own, `S`, as its parent holds it beside others. */
export const defineSubresource = <H extends TypedObject, S extends TypedObject>(subresource: Subresource<H, S>): Subresource<H> => widened(subresource)

/**
 * Hooks are given only what was decoded and defaulted by the schema of the version or kind that they are written against. That an object is of their type is therefore the schema's word, and
 * this is the one place that takes it.
 */
const widened = <T>(definition: unknown): T => definition as T
