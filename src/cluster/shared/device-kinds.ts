import type { TypedObject } from '../../api/meta/object.ts'
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '../../api/resource/v1beta2.types.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'

const deviceKind = <T extends TypedObject>(version: string, kind: string, resource: string, namespaced = true): ResourceKind<T> => ({
  group: 'resource.k8s.io',
  version,
  resource,
  kind,
  namespaced,
})

/** Kinds of devices and their claims in one version. */
export interface DeviceKinds {
  readonly claims: ResourceKind<ResourceClaim>
  readonly templates: ResourceKind<ResourceClaimTemplate>
  readonly classes: ResourceKind<DeviceClass>
  readonly slices: ResourceKind<ResourceSlice>
}

const kindsIn = (version: string): DeviceKinds => ({
  claims: deviceKind<ResourceClaim>(version, 'ResourceClaim', 'resourceclaims'),
  templates: deviceKind<ResourceClaimTemplate>(version, 'ResourceClaimTemplate', 'resourceclaimtemplates'),
  classes: deviceKind<DeviceClass>(version, 'DeviceClass', 'deviceclasses', false),
  slices: deviceKind<ResourceSlice>(version, 'ResourceSlice', 'resourceslices', false),
})

const [V1, V1BETA1] = [kindsIn('v1'), kindsIn('v1beta1')]

/**
 * Returns the kinds in the version that controllers of a release use. Undefined before 1.32, whose claims are allocated
 * by drivers. The members that controllers read are the same in both versions.
 */
export const deviceKinds = (release: Release): DeviceKinds | undefined =>
  isSince(release, '1.34') ? V1 : isSince(release, '1.32') ? V1BETA1 : undefined
