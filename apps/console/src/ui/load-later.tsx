/** Components whose code is loaded when they are first shown. */
import { type ComponentType, lazy, Suspense } from "react";
import { Loading } from "./page-states.tsx";

/** @param load imports the component */
export function loadLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return (props) => (
    <Suspense fallback={<Loading />}>
      <Loaded {...props} />
    </Suspense>
  );
}
