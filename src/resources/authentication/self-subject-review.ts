import { defineResource } from '../../catalog/define.ts'
import type { Version } from '../../catalog/definition.ts'
import { formatTime } from '../../meta/time.ts'
import { types } from '../types.ts'
import { userInfo } from './user-info.ts'
import type { SelfSubjectReview } from './v1.types.ts'

const v1: Version<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  name: 'v1',
  kind: 'SelfSubjectReview',
  names: { plural: 'selfsubjectreviews', singular: 'selfsubjectreview' },
  verbs: ['create'],
  schema: types.type('authentication.SelfSubjectReview'),
}

/** Who the one who asks is taken for, after impersonation. */
export const selfSubjectReviewResource = defineResource<SelfSubjectReview>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  virtual: {
    call: async ({ ctx }) => ({
      code: 201,
      object: {
        kind: v1.kind,
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { creationTimestamp: formatTime(ctx.receivedAt) },
        status: { userInfo: userInfo(ctx.user) },
      },
    }),
  },
})
