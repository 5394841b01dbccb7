import type { GateName } from '../../lifecycle/feature-gates.ts'
import type { Features } from '../../lifecycle/gates.ts'

/** Gates of the debugging pages, by path. Sorted. */
const PAGES = { '/flagz': 'ComponentFlagz', '/statusz': 'ComponentStatusz' } as const satisfies Readonly<Record<string, GateName>>

/** Path of a debugging page (KEP-4827 and KEP-4828). */
export type ZPagePath = keyof typeof PAGES

/** Returns the paths of the pages that are on, sorted. */
export const zpagePaths = (features: Features): ZPagePath[] => PATHS.filter(path => features.enabled(PAGES[path]))

const PATHS = Object.keys(PAGES) as readonly ZPagePath[]
