//! Words of little meaning, such as `the` and `how`.
//!
//! They are indexed like all words. A query needs them only if it has no other words, or as part of
//! a phrase.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Folded function words of the languages that manuals are most often written in.
const WORDS: &str = "
a about an and any are as at be been but by can cannot could did do does for from get had has have how i if in
into is it its me my no not of on one or our shall should so some than that the their them then there these they this
to up use using was we were what when where which who whom why will with would you your
able allowed also am another anybody anyone anything because being certain different done each every everybody everyone
everything few having he her here him his itself just many may me might more most much must myself need needed needs
nobody nothing only other others own per possible same several she since so somebody someone something such themselves
through too under until very via want wanted wants yet yours yourself
ein eine einen einem einer der die das den dem des und oder ist sind wie was wo wann warum ich wir sie er es mit von
zu zum zur auf fur im in am an bei aus nach nicht kann man mein meine
le la les un une des du de et ou est sont comment que qui quoi quand pourquoi dans sur pour par avec je mon ma mes
nous vous ne pas au aux ce cette ces puis peut se si
el los las unos unas y o es son como que quien cuando donde por para con sin en del al mi mis su sus se no yo puedo hay
lo
il lo gli uno e sono come che chi cosa quando dove perche per con su nel nella di da si non mio mia posso
os um uma uns e ou sao como qual quais quando onde por em no na nos nas com meu minha eu posso ao
de het een en of is zijn hoe wat wie wanneer waar waarom ik wij je u mijn uw met van voor naar op te kan niet om
и или в во на с со к ко по за из у о об от до для при как что кто где когда почему это этот я мы вы он она они не ли мой
мои можно а но же бы
і й або у з та як що хто де коли чому це цей ми ви він вона вони не чи мій для від до за
a i w z na do jak co kto gdzie kiedy dlaczego jest sa nie moj oraz lub czy ze sie dla od po
a i v z na do jak co kdo kde kdy proc je jsou ne nebo si se muj pro od po s
och en ett att som ar hur vad vem nar var varfor jag vi med fran till pa av inte min kan for
og et at der er hvordan hvad hvem hvornar hvor hvorfor jeg med fra til af ikke mit kan
ve veya bir bu su ne nasil neden nerede kim ile icin de da mi
";

/// Folded English words of little meaning in a question: further prepositions, adverbs and numbers,
/// verbs that mean little without their object, such as in `take a backup`, and words for asking, such
/// as in `find out` and `a way to`.
const LIGHT: &str = "
above across after again against along already always around away back before behind below between beyond both down
during else even ever except further however inside instead later less near never nor now off often once out outside
over please quite rather really simply sometimes soon still though together toward towards unless upon usually while
whose within without
bring bringing brings brought came comes coming gave gets getting give given gives giving go goes going gone happen
happened happening happens let lets made make makes making put puts putting take taken takes taking took went
find finds found knew know known knows look looking looks saw see seen sees tell tells thing things way ways work working
works two three four five actually anymore longer
";

/// Returns `true` for a folded word of little meaning in a question.
pub(crate) fn is_light(folded: &str) -> bool {
    static SET: OnceLock<HashSet<&'static str>> = OnceLock::new();
    SET.get_or_init(|| LIGHT.split_whitespace().collect()).contains(folded)
}

/// Returns `true` for a folded word of little meaning.
pub(crate) fn is_weak(folded: &str) -> bool {
    static SET: OnceLock<HashSet<&'static str>> = OnceLock::new();
    SET.get_or_init(|| WORDS.split_whitespace().collect()).contains(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_folded_form() {
        let mut words = WORDS.split_whitespace().chain(LIGHT.split_whitespace());
        assert!(words.all(|word| super::super::fold::folded(word) == word));
        assert!(is_weak("the") && is_weak("как") && !is_weak("server"));
        assert!(
            is_light("taking")
                && is_light("find")
                && LIGHT.split_whitespace().all(|word| !is_weak(word))
        );
    }
}
