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

type AggregationRule # How a role is put together from others.
  clusterRoleSelectors 1 []meta.LabelSelector? atomic # Roles whose rules it takes over: those that any of these selects by its labels.

type ClusterRole typemeta # Names what may be done: in the whole cluster, or in the namespace of a role binding that refers to it.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  rules 2 []PolicyRule optional atomic # What may be done. Where aggregationRule stands, a controller writes them.
  aggregationRule 3 *AggregationRule? # Takes the rules from other cluster roles; what is written to rules is replaced.

type ClusterRoleBinding typemeta # Gives a cluster role to users, groups and service accounts, in every namespace and beyond.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  subjects 2 []Subject? atomic # Who gets the role.
  roleRef 3 RoleRef # The cluster role that is given. It can not be changed later.

type ClusterRoleBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ClusterRoleBinding

type ClusterRoleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ClusterRole

type PolicyRule # Allows every combination of what its lists name. Rules only add up: none takes anything away.
  verbs 1 []string atomic # What may be done: get, list, watch, create, update, patch, delete and others; * for everything.
  apiGroups ${firstNumber} []string? atomic # Groups of the resources, "" for the core group; * for all.
  resources ${firstNumber + 1} []string? atomic # Resources in plural; pods/log names a subresource, */scale that of every resource, * all there is.
  resourceNames ${firstNumber + 2} []string? atomic # Only objects of these names; all where there are none. A create has no name yet, so it never matches.
  nonResourceURLs ${firstNumber + 3} []string? atomic # Paths that are no resources, such as /metrics; * at the end stands for the rest. Only cluster roles have them.

type Role typemeta # Names what may be done in its namespace.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  rules 2 []PolicyRule optional atomic # What may be done.

type RoleBinding typemeta # Gives a role, or a cluster role, to users, groups and service accounts within its namespace.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  subjects 2 []Subject? atomic # Who gets the role.
  roleRef 3 RoleRef # The role of this namespace, or the cluster role, that is given. It can not be changed later.

type RoleBindingList typemeta
  metadata 1 meta.ListMeta?
  items 2 []RoleBinding

type RoleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Role

type RoleRef${mark} # Which role.
  apiGroup 1 string # Always rbac.authorization.k8s.io.
  kind 2 string # Role or ClusterRole.
  name 3 string # Its name.

type Subject${mark} # A user, a group or a service account.
  kind 1 string # User, Group or ServiceAccount.
  ${subjectGroup} 2 string? # rbac.authorization.k8s.io for users and groups, nothing for service accounts.
  name 3 string # Its name, as authentication tells it.
  namespace 4 string? # Of a service account; users and groups are in none.
`

const packageOf = (id: string, version: Version): TypePackage => ({ id, definition: `io.k8s.api.rbac.${version.name}`, source: typesOf(version) })

/** The types of rbac.authorization.k8s.io/v1. */
export const rbacTypes = packageOf('rbac', { name: 'v1', firstNumber: 2, subjectGroup: 'apiGroup', mark: ' atomic' })

/** Of versions that are not served any more. */
export const rbacV1beta1Types = packageOf('rbacV1beta1', { name: 'v1beta1', firstNumber: 2, subjectGroup: 'apiGroup', mark: '' })
export const rbacV1alpha1Types = packageOf('rbacV1alpha1', { name: 'v1alpha1', firstNumber: 3, subjectGroup: 'apiVersion', mark: '' })
