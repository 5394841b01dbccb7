import type { TypedObject } from '../../../api/meta/object.ts'

const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

/** Reports whether claims without a class get this one. Both the GA and the beta annotation count, as in kubectl. */
export const isDefaultClass = ({ metadata }: Pick<TypedObject, 'metadata'>): boolean =>
  IS_DEFAULT.some(key => metadata.annotations?.[key] === 'true')
