import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of admission.k8s.io, in which webhooks are asked whether a request may pass. They are sent to other servers and read from them, and never served. The older version is the same.
 */
export const admissionTypes: readonly TypePackage[] = [
  {
    id: 'admission',
    definition: 'io.k8s.api.admission.v1',
    source: `
type AdmissionRequest # A request, as it is about to be carried out.
  uid 1 UID # Tells the review from others; the answer has the same.
  kind 2 meta.GroupVersionKind # Kind of the object, as it is sent here.
  resource 3 meta.GroupVersionResource # Resource of the request, as the webhook asked for it.
  subResource 4 string? # Subresource of the request, such as status or scale.
  requestKind 13 *meta.GroupVersionKind? # Kind of the object in the client's request, which may be in another version.
  requestResource 14 *meta.GroupVersionResource? # Resource of the client's request.
  requestSubResource 15 string? # Subresource of the client's request.
  name 5 string? # Name of the object; it may be absent on create.
  namespace 6 string? # Namespace of the object.
  operation 7 string # CREATE, UPDATE, DELETE or CONNECT.
  userInfo 8 authentication.UserInfo # Who makes the request.
  object 9 RawExtension? # The object as it is to be; absent on delete.
  oldObject 10 RawExtension? # The object as it is; on update and delete.
  dryRun 11 *bool? # Whether nothing will be stored.
  options 12 RawExtension? # The options of the operation, such as CreateOptions.

type AdmissionResponse # The decision.
  uid 1 UID # That of the request.
  allowed 2 bool # Whether the request may pass.
  status 3 *meta.Status? # Why it may not.
  patch 4 bytes? # Changes of the object.
  patchType 5 *string? # How the patch is written: JSONPatch.
  auditAnnotations 6 map[string]string? # What is put into the audit event; the webhook's name goes before each key.
  warnings 7 []string? # What the client is told in Warning headers.

type AdmissionReview typemeta # Asks a webhook whether a request may pass, and in what form; never stored.
  request 1 *AdmissionRequest? # What is asked.
  response 2 *AdmissionResponse? # What the webhook answers.
`,
  },
  {
    id: 'admissionV1beta1',
    definition: 'io.k8s.api.admission.v1beta1',
    source: 'types AdmissionRequest AdmissionResponse AdmissionReview like admission',
  },
]
