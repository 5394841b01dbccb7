import { join } from 'node:path'
import { invariant } from '../lib/invariant.ts'
import { DEFAULT_RELEASE, minorOf, type Release } from '../lifecycle/release.ts'
import { TypeRegistry } from '../schema/idl.ts'
import { APIDISCOVERY_V2, APIDISCOVERY_V2BETA1, META_V1, META_V1BETA1 } from '../schema/meta-types.ts'

/**
 * Declaration files by package. The built program has copies in folders of the same names. Most declare resources; the last ones declare versions of earlier
 * releases, and types that servers exchange.
 */
const FILES: Readonly<Record<string, string>> = {
  admission: 'admission/v1',
  admissionV1beta1: 'admission/v1beta1',
  admissionregistration: 'admissionregistration/v1',
  admissionregistrationV1alpha1: 'admissionregistration/v1alpha1',
  admissionregistrationV1beta1: 'admissionregistration/v1beta1',
  apiextensions: 'apiextensions/v1',
  apiregistration: 'apiregistration/v1',
  apiserverinternal: 'apiserverinternal/v1alpha1',
  apps: 'apps/v1',
  authentication: 'authentication/v1',
  authenticationV1alpha1: 'authentication/v1alpha1',
  authenticationV1beta1: 'authentication/v1beta1',
  authorization: 'authorization/v1',
  authorizationV1beta1: 'authorization/v1beta1',
  autoscaling: 'autoscaling/v1',
  autoscalingv2: 'autoscaling/v2',
  batch: 'batch/v1',
  certificates: 'certificates/v1',
  certificatesv1alpha1: 'certificates/v1alpha1',
  certificatesv1beta1: 'certificates/v1beta1',
  coordination: 'coordination/v1',
  coordinationV1alpha1: 'coordination/v1alpha1',
  coordinationV1alpha2: 'coordination/v1alpha2',
  coordinationV1beta1: 'coordination/v1beta1',
  core: 'core/v1',
  discovery: 'discovery/v1',
  events: 'events/v1',
  flowcontrol: 'flowcontrol/v1',
  flowcontrolV1beta1: 'flowcontrol/v1beta1',
  flowcontrolV1beta2: 'flowcontrol/v1beta2',
  flowcontrolV1beta3: 'flowcontrol/v1beta3',
  networking: 'networking/v1',
  networkingV1beta1: 'networking/v1beta1',
  node: 'node/v1',
  policy: 'policy/v1',
  rbac: 'rbac/v1',
  rbacV1alpha1: 'rbac/v1alpha1',
  rbacV1beta1: 'rbac/v1beta1',
  resourceV1: 'resource/v1',
  resourceV1alpha1: 'resource/v1alpha1',
  resourceV1alpha2: 'resource/v1alpha2',
  resourceV1alpha3: 'resource/v1alpha3',
  resourceV1beta1: 'resource/v1beta1',
  resource: 'resource/v1beta2',
  scheduling: 'scheduling/v1',
  schedulingV1alpha1: 'scheduling/v1alpha1',
  schedulingV1alpha2: 'scheduling/v1alpha2',
  storage: 'storage/v1',
  storagev1alpha1: 'storage/v1alpha1',
  storagev1beta1: 'storage/v1beta1',
  storagemigration: 'storagemigration/v1alpha1',
  storagemigrationV1beta1: 'storagemigration/v1beta1',

  apiextensionsV1beta1: 'apiextensions/v1beta1',
  apiregistrationV1beta1: 'apiregistration/v1beta1',
  appsV1beta1: 'apps/v1beta1',
  appsV1beta2: 'apps/v1beta2',
  autoscalingV2beta1: 'autoscaling/v2beta1',
  autoscalingV2beta2: 'autoscaling/v2beta2',
  batchV1beta1: 'batch/v1beta1',
  discoveryV1beta1: 'discovery/v1beta1',
  eventsV1beta1: 'events/v1beta1',
  extensionsV1beta1: 'extensions/v1beta1',
  imagepolicyV1alpha1: 'imagepolicy/v1alpha1',
  networkingV1alpha1: 'networking/v1alpha1',
  nodeV1alpha1: 'node/v1alpha1',
  nodeV1beta1: 'node/v1beta1',
  policyV1beta1: 'policy/v1beta1',
  schedulingV1beta1: 'scheduling/v1beta1',
}

const registries = new Map<Release, TypeRegistry>()

/** Returns the declared types of a release, by `package.Type`. A file is read when one of its types is first used. */
export function typesOf(release: Release): TypeRegistry {
  const known = registries.get(release)
  if (known) return known
  const registry = new TypeRegistry(minorOf(release))
    .addFile('meta', META_V1)
    .addFile('metaV1beta1', META_V1BETA1)
    .addFile('apidiscovery', APIDISCOVERY_V2)
    .addFile('apidiscoveryV2beta1', APIDISCOVERY_V2BETA1)
  for (const [id, path] of Object.entries(FILES)) registry.addFile(id, join(import.meta.dirname, `${path}.types`))
  registries.set(release, registry)
  return registry
}

/** Returns the values of an enum in a release, in the declared order. @param id the declared type, `resource.DeviceTaintEffect` */
export const enumValuesIn = (release: Release, id: string): readonly string[] => typesOf(release).enumValues(id)

/**
 * Returns the values of an enum, as messages list them: `first`, then the others in the declared order, which is upstream's in most messages.
 * @param id the declared type, `core.Protocol`. If releases have different values, those of the default release are returned.
 */
export function enumValues(id: string, ...first: readonly string[]): readonly string[] {
  const values = enumValuesIn(DEFAULT_RELEASE, id)
  for (const value of first) invariant(values.includes(value), `enum ${id} has no value ${value}`)
  return first.length === 0 ? values : [...first, ...values.filter(value => !first.includes(value))]
}

/** Types of the default release, which definitions of kinds refer to. `builtinResources` replaces them with those of the emulated release. */
export const types = typesOf(DEFAULT_RELEASE)
