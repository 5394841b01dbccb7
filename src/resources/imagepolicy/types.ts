import type { TypePackage } from '../../schema/idl.ts'

/** The types of imagepolicy.k8s.io/v1alpha1, in which a webhook is asked whether images may run. They are sent to it and read from it, and never served. */
export const imagePolicyTypes: TypePackage = {
  id: 'imagepolicyV1alpha1',
  definition: 'io.k8s.api.imagepolicy.v1alpha1',
  source: `
type ImageReview typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ImageReviewSpec
  status 3 ImageReviewStatus?

type ImageReviewContainerSpec
  image 1 string?

type ImageReviewSpec
  containers 1 []ImageReviewContainerSpec? atomic
  annotations 2 map[string]string?
  namespace 3 string?

type ImageReviewStatus
  allowed 1 bool
  reason 2 string?
  auditAnnotations 3 map[string]string?
`,
}
