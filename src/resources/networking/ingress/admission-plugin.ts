import type { AdmissionPlugin } from '../../../admission/chain.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import type { Awaitable } from '../../../lib/awaitable.ts'
import { INGRESSES } from '../../kinds.ts'
import { youngestName } from '../../shared/youngest.ts'
import { IS_DEFAULT_CLASS } from '../ingress-class/definition.ts'
import { CLASS_ANNOTATION } from './class-annotation.ts'

const isDefault = ({ metadata }: TypedObject): boolean => metadata.annotations?.[IS_DEFAULT_CLASS] === 'true'

/**
 * DefaultIngressClass sets the default class on new ingresses that name none in spec or annotation, if there is a
 * default class. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaultingressclass
 */
export const defaultIngressClass = (listClasses: () => Awaitable<readonly TypedObject[]>): AdmissionPlugin => ({
  name: 'DefaultIngressClass',
  handles: ({ operation, served, subresource }) =>
    operation === 'CREATE' &&
    subresource === '' &&
    served.version.group === 'networking.k8s.io' &&
    served.version.names.plural === 'ingresses',
  mutate: async ({ object }) => {
    if (!object) return object
    const { spec, metadata } = asKind(INGRESSES, object)
    if (spec.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return object
    const name = youngestName((await listClasses()).filter(isDefault))
    if (name !== undefined) spec.ingressClassName = name
    return object
  },
})
