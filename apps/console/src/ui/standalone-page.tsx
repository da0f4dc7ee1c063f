import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";
import { useTabTitle } from "./page.tsx";
import { Paper, Stack, Title } from "./primitives/elements.tsx";

interface StandalonePageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page without the console's navigation: sign-in, not found, and workspace errors. */
export function StandalonePage({ title, children }: StandalonePageProps) {
  useTabTitle(title);
  return (
    <main className="sign-in">
      <Paper p="xl" className="standalone">
        <Stack>
          <Brand />
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </main>
  );
}
