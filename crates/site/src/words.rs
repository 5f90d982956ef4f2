//! The words of the published pages, in the reader's language, and dates as readers write them.

use bindery_model::Timestamp;

/// The words of one language. `{}` stands for the value.
#[derive(Debug)]
pub struct Words {
    /// Primary language subtag.
    pub language: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) menu: &'static str,
    pub(crate) pages: &'static str,
    pub(crate) pages_in: &'static str,
    pub(crate) breadcrumbs: &'static str,
    pub(crate) sections: &'static str,
    pub(crate) versions: &'static str,
    pub(crate) languages: &'static str,
    pub(crate) outline: &'static str,
    pub(crate) previous: &'static str,
    pub(crate) next: &'static str,
    pub(crate) neighbours: &'static str,
    pub(crate) search: &'static str,
    pub(crate) updated: &'static str,
    pub(crate) updated_by: &'static str,
    pub(crate) edit: &'static str,
    pub(crate) markdown: &'static str,
    pub(crate) earlier: &'static str,
    pub(crate) more: &'static str,
    pub(crate) not_found: &'static str,
    pub(crate) not_found_text: &'static str,
    pub(crate) nearest: &'static str,
    pub(crate) home: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) forbidden: &'static str,
    pub(crate) forbidden_text: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) empty_page: &'static str,
    months: [&'static str; 12],
    /// `{d}` day, `{m}` month in words, `{y}` year.
    date: &'static str,
}

const ENGLISH: Words = Words {
    language: "en",
    skip: "Skip to content",
    menu: "Menu",
    pages: "Pages",
    pages_in: "Pages in {}",
    breadcrumbs: "Breadcrumbs",
    sections: "Sections",
    versions: "Versions",
    languages: "Languages",
    outline: "On this page",
    previous: "Previous",
    next: "Next",
    neighbours: "Previous and next page",
    search: "Search",
    updated: "Last changed {}",
    updated_by: "Last changed {} by",
    edit: "Edit this page",
    markdown: "View as Markdown",
    earlier: "{} earlier",
    more: "{} more",
    not_found: "Page not found",
    not_found_text: "There is no page at this address. It may have moved or been removed.",
    nearest: "Pages with a similar address",
    home: "Go to the start page",
    empty: "Nothing here yet",
    empty_text: "This site is published, but it has no pages. They appear here as soon as they are written or imported.",
    forbidden: "Sign in to read this",
    forbidden_text: "This site is open to certain readers only. If you are one of them, sign in to continue.",
    sign_in: "Sign in",
    empty_page: "This page has no content yet.",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    date: "{d} {m} {y}",
};

const GERMAN: Words = Words {
    language: "de",
    skip: "Zum Inhalt springen",
    menu: "Menü",
    pages: "Seiten",
    pages_in: "Seiten in {}",
    breadcrumbs: "Brotkrumen",
    sections: "Bereiche",
    versions: "Versionen",
    languages: "Sprachen",
    outline: "Auf dieser Seite",
    previous: "Zurück",
    next: "Weiter",
    neighbours: "Vorige und nächste Seite",
    search: "Suchen",
    updated: "Zuletzt geändert am {}",
    updated_by: "Zuletzt geändert am {} von",
    edit: "Diese Seite bearbeiten",
    markdown: "Als Markdown ansehen",
    earlier: "{} davor",
    more: "{} weitere",
    not_found: "Seite nicht gefunden",
    not_found_text: "Unter dieser Adresse gibt es keine Seite. Vielleicht wurde sie verschoben oder entfernt.",
    nearest: "Seiten mit ähnlicher Adresse",
    home: "Zur Startseite",
    empty: "Hier ist noch nichts",
    empty_text: "Diese Website ist veröffentlicht, hat aber noch keine Seiten. Sie erscheinen hier, sobald sie geschrieben oder importiert sind.",
    forbidden: "Zum Lesen anmelden",
    forbidden_text: "Diese Website ist nur für bestimmte Personen offen. Wer dazugehört, meldet sich an.",
    sign_in: "Anmelden",
    empty_page: "Diese Seite hat noch keinen Inhalt.",
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    date: "{d}. {m} {y}",
};

const FRENCH: Words = Words {
    language: "fr",
    skip: "Aller au contenu",
    menu: "Menu",
    pages: "Pages",
    pages_in: "Pages de {}",
    breadcrumbs: "Fil d’Ariane",
    sections: "Sections",
    versions: "Versions",
    languages: "Langues",
    outline: "Sur cette page",
    previous: "Précédent",
    next: "Suivant",
    neighbours: "Page précédente et page suivante",
    search: "Rechercher",
    updated: "Dernière modification le {}",
    updated_by: "Dernière modification le {} par",
    edit: "Modifier cette page",
    markdown: "Voir en Markdown",
    earlier: "{} avant",
    more: "{} de plus",
    not_found: "Page introuvable",
    not_found_text: "Il n’y a pas de page à cette adresse. Elle a peut-être été déplacée ou supprimée.",
    nearest: "Pages à l’adresse voisine",
    home: "Aller à l’accueil",
    empty: "Rien ici pour l’instant",
    empty_text: "Ce site est publié mais n’a pas encore de pages. Elles apparaîtront ici dès qu’elles seront écrites ou importées.",
    forbidden: "Connectez-vous pour lire",
    forbidden_text: "Ce site n’est ouvert qu’à certaines personnes. Si vous en faites partie, connectez-vous pour continuer.",
    sign_in: "Se connecter",
    empty_page: "Cette page n’a pas encore de contenu.",
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    date: "{d} {m} {y}",
};

const SPANISH: Words = Words {
    language: "es",
    skip: "Ir al contenido",
    menu: "Menú",
    pages: "Páginas",
    pages_in: "Páginas de {}",
    breadcrumbs: "Ruta de navegación",
    sections: "Secciones",
    versions: "Versiones",
    languages: "Idiomas",
    outline: "En esta página",
    previous: "Anterior",
    next: "Siguiente",
    neighbours: "Página anterior y siguiente",
    search: "Buscar",
    updated: "Último cambio: {}",
    updated_by: "Último cambio: {}, por",
    edit: "Editar esta página",
    markdown: "Ver como Markdown",
    earlier: "{} antes",
    more: "{} más",
    not_found: "Página no encontrada",
    not_found_text: "No hay ninguna página en esta dirección. Puede que se haya movido o eliminado.",
    nearest: "Páginas con una dirección parecida",
    home: "Ir a la página de inicio",
    empty: "Aún no hay nada aquí",
    empty_text: "Este sitio está publicado, pero todavía no tiene páginas. Aparecerán aquí en cuanto se escriban o se importen.",
    forbidden: "Inicie sesión para leer",
    forbidden_text: "Este sitio solo está abierto a ciertos lectores. Si es uno de ellos, inicie sesión para continuar.",
    sign_in: "Iniciar sesión",
    empty_page: "Esta página aún no tiene contenido.",
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    date: "{d} de {m} de {y}",
};

const CHINESE: Words = Words {
    language: "zh",
    skip: "跳到正文",
    menu: "菜单",
    pages: "页面",
    pages_in: "“{}”中的页面",
    breadcrumbs: "当前位置",
    sections: "栏目",
    versions: "版本",
    languages: "语言",
    outline: "本页目录",
    previous: "上一页",
    next: "下一页",
    neighbours: "上一页和下一页",
    search: "搜索",
    updated: "最后更新于 {}",
    updated_by: "最后更新于 {}，作者",
    edit: "编辑此页",
    markdown: "以 Markdown 查看",
    earlier: "前面还有 {} 项",
    more: "后面还有 {} 项",
    not_found: "找不到页面",
    not_found_text: "此地址没有页面，它可能已被移动或删除。",
    nearest: "地址相近的页面",
    home: "返回首页",
    empty: "这里还没有内容",
    empty_text: "该站点已发布，但还没有页面。撰写或导入后，页面会显示在这里。",
    forbidden: "登录后阅读",
    forbidden_text: "该站点仅对部分读者开放。如果您有权访问，请登录后继续。",
    sign_in: "登录",
    empty_page: "此页面还没有内容。",
    months: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
    date: "{y}年{m}月{d}日",
};

const ARABIC: Words = Words {
    language: "ar",
    skip: "انتقل إلى المحتوى",
    menu: "القائمة",
    pages: "الصفحات",
    pages_in: "صفحات {}",
    breadcrumbs: "مسار التنقل",
    sections: "الأقسام",
    versions: "الإصدارات",
    languages: "اللغات",
    outline: "في هذه الصفحة",
    previous: "السابق",
    next: "التالي",
    neighbours: "الصفحة السابقة والتالية",
    search: "بحث",
    updated: "آخر تعديل {}",
    updated_by: "آخر تعديل {} بواسطة",
    edit: "عدّل هذه الصفحة",
    markdown: "عرض بصيغة Markdown",
    earlier: "{} قبلها",
    more: "{} أخرى",
    not_found: "الصفحة غير موجودة",
    not_found_text: "لا توجد صفحة على هذا العنوان. ربما نُقلت أو حُذفت.",
    nearest: "صفحات بعنوان مشابه",
    home: "إلى الصفحة الرئيسية",
    empty: "لا شيء هنا بعد",
    empty_text: "هذا الموقع منشور ولكن ليس فيه صفحات بعد. ستظهر هنا حالما تُكتب أو تُستورد.",
    forbidden: "سجّل الدخول للقراءة",
    forbidden_text: "هذا الموقع مفتوح لقراء محددين فقط. إن كنت منهم فسجّل الدخول للمتابعة.",
    sign_in: "تسجيل الدخول",
    empty_page: "لا محتوى في هذه الصفحة بعد.",
    months: [
        "يناير",
        "فبراير",
        "مارس",
        "أبريل",
        "مايو",
        "يونيو",
        "يوليو",
        "أغسطس",
        "سبتمبر",
        "أكتوبر",
        "نوفمبر",
        "ديسمبر",
    ],
    date: "{d} {m} {y}",
};

/// All languages that the interface speaks; the first is the one for readers of all others.
pub static LANGUAGES: [Words; 6] = [ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, ARABIC];

/// The words for a BCP 47 tag, by its primary language; English where there are none.
pub fn words(tag: &str) -> &'static Words {
    let primary = tag.split(['-', '_']).next().unwrap_or_default();
    LANGUAGES
        .iter()
        .find(|words| words.language.eq_ignore_ascii_case(primary))
        .unwrap_or(&LANGUAGES[0])
}

impl Words {
    /// A day in UTC as readers of this language write it.
    pub fn date(&self, at: Timestamp) -> String {
        let date = jiff::Timestamp::from_millisecond(at.millis())
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
            .to_zoned(jiff::tz::TimeZone::UTC)
            .date();
        let month = usize::try_from(date.month()).ok().and_then(|m| self.months.get(m - 1));
        self.date
            .replace("{d}", &date.day().to_string())
            .replace("{m}", month.copied().unwrap_or_default())
            .replace("{y}", &date.year().to_string())
    }
}

/// Puts a value in the place of `{}`.
pub(crate) fn fill(pattern: &str, value: impl std::fmt::Display) -> String {
    pattern.replacen("{}", &value.to_string(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_readers_write_them() {
        let at = Timestamp::from_millis(1_773_273_600_000);
        let check = |tag: &str, expect: &str| assert_eq!(words(tag).date(at), expect, "{tag}");
        check("en", "12 March 2026");
        check("de-AT", "12. März 2026");
        check("es", "12 de marzo de 2026");
        check("zh_Hans", "2026年3月12日");
        check("tlh", "12 March 2026");
    }

    #[test]
    fn patterns_have_one_place_for_their_value() {
        for words in &LANGUAGES {
            for pattern in
                [words.pages_in, words.updated, words.updated_by, words.earlier, words.more]
            {
                assert_eq!(pattern.matches("{}").count(), 1, "{} {pattern}", words.language);
            }
        }
    }
}
