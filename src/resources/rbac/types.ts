import type { TypePackage } from '../../schema/idl.ts'

interface Version {
  readonly name: string
  /** Protobuf number of a rule's first list behind its verbs; the others follow. */
  readonly firstNumber: number
  /** How a subject tells the group of its kind. */
  readonly subjectGroup: string
  /** Mark of references and subjects. */
  readonly mark: string
}

const typesOf = ({ firstNumber, subjectGroup, mark }: Version): string => `

type AggregationRule
  clusterRoleSelectors 1 []meta.LabelSelector? atomic

type ClusterRole typemeta
  metadata 1 meta.ObjectMeta?
  rules 2 []PolicyRule optional atomic
  aggregationRule 3 *AggregationRule?

type ClusterRoleBinding typemeta
  metadata 1 meta.ObjectMeta?
  subjects 2 []Subject? atomic
  roleRef 3 RoleRef

type ClusterRoleBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ClusterRoleBinding

type ClusterRoleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ClusterRole

type PolicyRule
  verbs 1 []string atomic
  apiGroups ${firstNumber} []string? atomic
  resources ${firstNumber + 1} []string? atomic
  resourceNames ${firstNumber + 2} []string? atomic
  nonResourceURLs ${firstNumber + 3} []string? atomic

type Role typemeta
  metadata 1 meta.ObjectMeta?
  rules 2 []PolicyRule optional atomic

type RoleBinding typemeta
  metadata 1 meta.ObjectMeta?
  subjects 2 []Subject? atomic
  roleRef 3 RoleRef

type RoleBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []RoleBinding

type RoleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Role

type RoleRef${mark}
  apiGroup 1 string
  kind 2 string
  name 3 string

type Subject${mark}
  kind 1 string
  ${subjectGroup} 2 string?
  name 3 string
  namespace 4 string?
`

const packageOf = (id: string, version: Version): TypePackage => ({ id, definition: `io.k8s.api.rbac.${version.name}`, source: typesOf(version) })

/** The types of rbac.authorization.k8s.io/v1. */
export const rbacTypes = packageOf('rbac', { name: 'v1', firstNumber: 2, subjectGroup: 'apiGroup', mark: ' atomic' })

/** Of versions that are not served any more. */
export const rbacV1beta1Types = packageOf('rbacV1beta1', { name: 'v1beta1', firstNumber: 2, subjectGroup: 'apiGroup', mark: '' })
export const rbacV1alpha1Types = packageOf('rbacV1alpha1', { name: 'v1alpha1', firstNumber: 3, subjectGroup: 'apiVersion', mark: '' })
