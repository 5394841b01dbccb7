import { join } from 'node:path'

/** Declarations of meta/v1, the package `meta`. The built program has a folder of the same name. */
export const META_V1 = join(import.meta.dirname, 'meta/v1.types')
/** Declarations of the package `metaV1beta1`. */
export const META_V1BETA1 = join(import.meta.dirname, 'meta/v1beta1.types')

/** Declarations of aggregated discovery, the packages `apidiscovery` and `apidiscoveryV2beta1`. */
export const APIDISCOVERY_V2 = join(import.meta.dirname, 'apidiscovery/v2.types')
export const APIDISCOVERY_V2BETA1 = join(import.meta.dirname, 'apidiscovery/v2beta1.types')
