import { type Plugin, unresolvable } from '../framework.ts'

/** Accepts only the node that the pod names, if it names one. */
export const nodeName: Plugin = {
  name: 'NodeName',
  isNodeLocal: true,
  preFilter: ({ pod }) => ({
    filter: {
      check: ({ name }) => (!pod.spec.nodeName || pod.spec.nodeName === name ? undefined : unresolvable("node(s) didn't match the requested node name")),
    },
  }),
}
