import type { Field, StructSchema } from '../schema.ts'

/** What is said of a type or a field whose declaration says nothing. */
const types: Readonly<Record<string, string>> = {
  APIGroup: 'A group of resources and the versions it is served in.',
  APIResource: 'A resource type, the names by which it is known and what can be done with it.',
  APIResourceList: 'The resource types of one version of a group.',
  Binding: 'Assigns an object, such as a pod, to another, such as a node.',
  ComponentStatus: 'The health of a part of the control plane. No longer kept up.',
  Condition: 'One aspect of the present state of an object.',
  ConfigMap: 'Configuration as keys and values, for pods to read.',
  Container: 'A program that a pod runs.',
  ControllerRevision: 'A snapshot of the state of a controller, to roll back to.',
  DaemonSet: 'Runs a copy of a pod on every node that fits.',
  DeleteOptions: 'How an object is to be deleted.',
  Deployment: 'Keeps a number of like pods running, and replaces them step by step when their template changes.',
  Endpoints: 'The addresses behind a service.',
  Event: 'A report of something that happened to an object. Kept for a limited time.',
  Eviction: 'Asks for a pod to be removed from its node, within the limits of its disruption budget.',
  FieldsV1: 'A set of fields, as a tree of `f:name`, `k:{keys}` and `v:value`.',
  IPAddress: 'An address that is in use, and by which object.',
  IntOrString: 'A number, or a text such as a name or a percentage.',
  LabelSelector: 'Picks objects by their labels. All of its parts must hold; an empty one picks everything.',
  Lease: 'Says who holds something at present, and until when.',
  LimitRange: 'Bounds and defaults of the resources that pods of a namespace ask for.',
  ListMeta: 'What a list says of itself.',
  ManagedFieldsEntry: 'The fields of an object that a manager has set.',
  MicroTime: 'A time with microseconds, RFC 3339.',
  Namespace: 'A scope for names.',
  Node: 'A machine on which pods run.',
  ObjectMeta: 'What every object says of itself.',
  OwnerReference: 'An object on which this one depends: when it is gone, so is this one.',
  Patch: 'A change to an object, in one of the patch formats.',
  PersistentVolume: 'Storage that outlives pods.',
  PersistentVolumeClaim: 'Asks for storage, and names it to pods.',
  Pod: 'A group of containers that run together on one node.',
  PodSpec: 'What a pod is to be.',
  PodStatus: 'What a pod is at present.',
  PodTemplate: 'A pattern to make pods from.',
  PodTemplateSpec: 'The pods that a workload makes.',
  Preconditions: 'What must hold of an object before it is changed.',
  Quantity: 'An amount with a unit: `100m`, `1.5Gi`, `2e3`.',
  RawExtension: 'Any object.',
  ReplicaSet: 'Keeps a number of like pods running.',
  ReplicationController: 'Keeps a number of like pods running.',
  ResourceQuota: 'Bounds what a namespace may use in sum.',
  Scale: 'How many replicas a workload is to have, and has.',
  Secret: 'Confidential data as keys and values, for pods to read.',
  Service: 'A name and an address for a set of pods.',
  ServiceAccount: 'An identity for what runs in pods.',
  ServiceCIDR: 'A range from which services get their addresses.',
  StatefulSet: 'Keeps a number of pods running, each with a name and storage of its own.',
  Status: 'The outcome of a request that does not answer with an object.',
  Time: 'A time in whole seconds, RFC 3339.',
  TokenRequest: 'Asks for a token for a service account.',
  WatchEvent: 'A change to a watched object.',
}

const objectMeta: Readonly<Record<string, string>> = {
  annotations: 'Data of tools about the object, by key. Cannot be selected by.',
  creationTimestamp: 'When the server made the object. Set by the server.',
  deletionGracePeriodSeconds: 'Seconds from the beginning of deletion until the object may be removed. Set by the server.',
  deletionTimestamp: 'When the object is to be gone; present once its deletion has begun. Set by the server.',
  finalizers: 'What must be done before the object may be removed; who has done it takes its entry away.',
  generateName: 'Beginning of a name that the server completes, where no name is given.',
  generation: 'Counts the states that have been wished for. Set by the server.',
  labels: 'Names and values to select by.',
  managedFields: 'Which manager has set which fields. Kept by the server.',
  name: 'Unique among objects of its type in its namespace. Cannot be changed.',
  namespace: 'Where the name is unique. Cannot be changed; empty for objects of the cluster.',
  ownerReferences: 'Objects on which this one depends.',
  resourceVersion: 'Changes with every write; opaque. An update that names it is refused when the object has changed since.',
  selfLink: 'No longer set.',
  uid: 'Unique over time and space. Set by the server.',
}

const anywhere: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version in which the object is written.',
  kind: 'Type of the object.',
  items: 'The objects of the list.',
  spec: 'What is wished for.',
  status: 'What is, as far as it is known. Set by the system.',
}

export const typeDescription = (name: string): string | undefined => (Object.hasOwn(types, name) ? types[name] : undefined)

export function fieldDescription(parent: StructSchema, field: Field): string | undefined {
  const { name } = field
  if (parent.name === 'ObjectMeta') return Object.hasOwn(objectMeta, name) ? objectMeta[name] : undefined
  if (!parent.typeMeta) return undefined
  if (name === 'metadata') return typeDescription(field.schema.type === 'struct' ? field.schema.name : '')
  return Object.hasOwn(anywhere, name) ? anywhere[name] : undefined
}
