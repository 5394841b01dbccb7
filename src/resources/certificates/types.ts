import type { TypePackage } from '../../schema/idl.ts'
import { olderCertificateTypes } from './older-types.ts'

/** The types of certificates.k8s.io/v1. */
export const certificatesTypes: TypePackage = {
  id: 'certificates',
  definition: 'io.k8s.api.certificates.v1',
  source: `
enum KeyUsage any "cert sign" "client auth" "code signing" "content commitment" "crl sign" "data encipherment" "decipher only" "digital signature" "email protection" "encipher only" "ipsec end system" "ipsec tunnel" "ipsec user" "key agreement" "key encipherment" "microsoft sgc" "netscape sgc" "ocsp signing" s/mime "server auth" signing timestamping

type CertificateSigningRequest typemeta # Asks a signer for a certificate: made by whoever needs it, approved or denied by another, signed by a third.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 CertificateSigningRequestSpec # What is wanted.
  status 3 CertificateSigningRequestStatus? # What is, as last reported; not set by those who want something.

type CertificateSigningRequestCondition
  type 1 string # Approved, Denied, Failed or another.
  status 6 string # True for Approved, Denied and Failed.
  reason 2 string? # Why, in a word.
  message 3 string? # Why, for people.
  lastUpdateTime 4 Time? # When the condition was last written.
  lastTransitionTime 5 Time? # When its status last changed.

type CertificateSigningRequestList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CertificateSigningRequest

type CertificateSigningRequestSpec # What is asked for, and who asks; cannot be changed.
  request 1 bytes strayatomic # A PKCS#10 certificate request, in PEM.
  signerName 7 string # Who is to sign, such as kubernetes.io/kube-apiserver-client.
  expirationSeconds 8 *int32? # For how long the certificate is to be good; the signer may choose less. 600 at least.
  usages 5 []KeyUsage? atomic # What the key is to be used for.
  username 2 string? # Who made the request; set by the server.
  uid 3 string? # The uid of who made it; set by the server.
  groups 4 []string? atomic # The groups of who made it; set by the server.
  extra 6 map[string][]string? # What else is known of who made it; set by the server.

type CertificateSigningRequestStatus # The decision, and the certificate.
  conditions 1 []CertificateSigningRequestCondition? map(type) # Approved, Denied or Failed; none of them is ever taken back.
  certificate 2 bytes? strayatomic # The certificate with those of its signers, in PEM; cannot be changed once it is there.
`,
}

/** The same in both versions. */
const clusterTrustBundle = `
type ClusterTrustBundle typemeta # Certificates of authorities, for everybody in the cluster to trust.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ClusterTrustBundleSpec # What is wanted.

type ClusterTrustBundleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ClusterTrustBundle

type ClusterTrustBundleSpec
  signerName 1 string? # The signer whose certificates these are; its names begin with the signer's.
  trustBundle 2 string # Certificates in PEM, each once, without headers and text between them.
`

/** The types of certificates.k8s.io/v1beta1. */
export const certificatesV1beta1Types: TypePackage = {
  id: 'certificatesv1beta1',
  definition: 'io.k8s.api.certificates.v1beta1',
  source: clusterTrustBundle + olderCertificateTypes,
}

/** The types of certificates.k8s.io/v1alpha1. */
export const certificatesV1alpha1Types: TypePackage = {
  id: 'certificatesv1alpha1',
  definition: 'io.k8s.api.certificates.v1alpha1',
  source: clusterTrustBundle,
}
