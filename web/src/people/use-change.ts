import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";

import { notify } from "../ui";

interface Options<V, R> {
  /** The beginnings of the keys of what the change makes obsolete. */
  forget: (readonly unknown[])[];
  /** Runs after the change and before the lists are read again. */
  onDone?: (result: R, variables: V) => void;
  /** True if the form shows the error itself. */
  isQuiet?: boolean;
}

/** Returns a change of data by the API that tells errors and reads again what it made obsolete. */
export function useChange<V = void, R = unknown>(run: (variables: V) => Promise<R>, { forget, onDone, isQuiet }: Options<V, R>): UseMutationResult<R, Error, V> {
  const cache = useQueryClient();
  return useMutation<R, Error, V>({
    mutationFn: run,
    onSuccess: (result, variables) => {
      onDone?.(result, variables);
      for (const queryKey of forget) void cache.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      if (!isQuiet) notify(error.message, { tone: "danger" });
    },
  });
}
