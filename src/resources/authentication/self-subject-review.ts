import type { SelfSubjectReview } from '../../api/authentication/v1.types.ts'
import { defineResource } from '../../catalog/define.ts'
import type { Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { formatTime } from '../../meta/time.ts'
import { userInfo } from './user-info.ts'

const v1: Version<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  name: 'v1',
  kind: 'SelfSubjectReview',
  names: { plural: 'selfsubjectreviews', singular: 'selfsubjectreview' },
  verbs: ['create'],
  schema: types.type('authentication.SelfSubjectReview'),
}

/** v1beta1 and v1alpha1 differ from v1 only in name. The last release that serves v1alpha1 is 1.32. */
const v1beta1: Version<SelfSubjectReview> = { ...v1, name: 'v1beta1', schema: types.type('authenticationV1beta1.SelfSubjectReview') }
const v1alpha1: Version<SelfSubjectReview> = { ...v1, name: 'v1alpha1', schema: types.type('authenticationV1alpha1.SelfSubjectReview') }

/** Returns the user of the request, after impersonation. */
export const selfSubjectReviewResource = defineResource<SelfSubjectReview>({
  scope: 'Cluster',
  versions: [v1, v1beta1, v1alpha1],
  hub: v1,
  virtual: {
    call: async ({ ctx }) => ({
      code: 201,
      object: {
        kind: v1.kind,
        apiVersion: `${v1.group}/${ctx.info.version}`,
        metadata: { creationTimestamp: formatTime(ctx.receivedAt) },
        status: { userInfo: userInfo(ctx.user) },
      },
    }),
  },
})
