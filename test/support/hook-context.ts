import type { HookContext } from '../../src/catalog/definition.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'

/** The features of release 1.33 with some gates set: `ContainerStopSignals=true`. */
export const featuresOf = (...gates: string[]) =>
  parseGates('1.33', new Map(gates.map(text => text.split('=') as [string, string]).map(([name, value]) => [name, value === 'true'])))

/** A context for hooks, of release 1.33 with its default gates. */
export const hookContext = (own: Partial<HookContext> = {}): HookContext => ({ now: 0, subresource: '', features: featuresOf(), ...own })
