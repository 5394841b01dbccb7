import type { TypePackage } from '../../schema/idl.ts'

/** The types of imagepolicy.k8s.io/v1alpha1, in which a webhook is asked whether images may run. They are sent to it and read from it, and never served. */
export const imagePolicyTypes: TypePackage = {
  id: 'imagepolicyV1alpha1',
  definition: 'io.k8s.api.imagepolicy.v1alpha1',
  source: `
type ImageReview typemeta # Asks whether the images of a pod may run; never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ImageReviewSpec # The images.
  status 3 ImageReviewStatus? # The decision.

type ImageReviewContainerSpec
  image 1 string? # Image of the container, by its tag or digest.

type ImageReviewSpec
  containers 1 []ImageReviewContainerSpec? atomic # What the containers of the pod run.
  annotations 2 map[string]string? # Those of the pod's annotations that are meant for the webhook.
  namespace 3 string? # Namespace of the pod.

type ImageReviewStatus
  allowed 1 bool # Whether all of the images may run.
  reason 2 string? # Why not, in few words.
  auditAnnotations 3 map[string]string? # What is put into the audit event.
`,
}
