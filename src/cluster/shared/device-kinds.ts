import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/resource/v1beta2.types.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'

const deviceKind = <T extends TypedObject>(version: string, kind: string, resource: string): ResourceKind<T> => ({
  group: 'resource.k8s.io',
  version,
  resource,
  kind,
  namespaced: true,
})

/** Kinds of device claims in one version. */
export interface DeviceKinds {
  readonly claims: ResourceKind<ResourceClaim>
  readonly templates: ResourceKind<ResourceClaimTemplate>
}

const kindsIn = (version: string): DeviceKinds => ({
  claims: deviceKind<ResourceClaim>(version, 'ResourceClaim', 'resourceclaims'),
  templates: deviceKind<ResourceClaimTemplate>(version, 'ResourceClaimTemplate', 'resourceclaimtemplates'),
})

const [V1, V1BETA1] = [kindsIn('v1'), kindsIn('v1beta1')]

/** Returns the kinds in the version that controllers of a release use. Undefined before 1.32, whose claims are allocated by drivers. The members that controllers read are the same in both versions. */
export const deviceKinds = (release: Release): DeviceKinds | undefined => (isSince(release, '1.34') ? V1 : isSince(release, '1.32') ? V1BETA1 : undefined)
